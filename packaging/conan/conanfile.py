# SPDX-License-Identifier: MIT
"""dblock for Conan 2, of the tree that this file is in: conan create packaging/conan

With a conandata.yml beside it, as `./dev release` writes one, it is of the tarball that this names.
"""
import os
import shutil

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir
from conan.tools.gnu import PkgConfigDeps

# What stands beside the sources, and is not needed for a build.
LEFT_OUT = ("build", "bench", "tests", ".")


class Dblock(ConanFile):
    name = "dblock"
    version = "0.1.0"
    package_type = "shared-library"
    license = "MIT"
    description = "Distributed locks and schema migrations on the SQL database you already run"
    topics = ("lock", "mutex", "leader-election", "migrations", "postgresql", "mysql", "sqlite")
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "sqlite": [True, False],
        "postgresql": [True, False],
        "mysql": [False, "mariadb-connector-c", "libmysqlclient"],
        "program": [True, False],
    }
    default_options = {
        "sqlite": True,
        "postgresql": True,
        "mysql": "mariadb-connector-c",
        "program": True,
    }

    def configure(self):
        # C alone.
        self.settings.rm_safe("compiler.libcxx")
        self.settings.rm_safe("compiler.cppstd")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("dblock is for Linux only so far")
        if not (self.options.sqlite or self.options.postgresql or self.options.mysql):
            raise ConanInvalidConfiguration("dblock needs one of the options sqlite, postgresql, mysql")

    def requirements(self):
        self.requires("nettle/[>=3.8 <4]")
        if self.options.sqlite:
            self.requires("sqlite3/[>=3.37 <4]")
        if self.options.postgresql:
            self.requires("libpq/[>=14 <19]")
        if self.options.mysql == "mariadb-connector-c":
            self.requires("mariadb-connector-c/[>=3.3 <4]")
        elif self.options.mysql:
            self.requires("libmysqlclient/[>=8.0 <10]")
        if self.options.program:
            self.requires("jansson/[>=2.13 <3]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.22]")
        if not self.conf.get("tools.gnu:pkg_config", check_type=str):
            self.tool_requires("pkgconf/[>=1.9 <3]")

    def export_sources(self):
        if os.path.exists(os.path.join(self.recipe_folder, "conandata.yml")):
            return
        for entry in os.scandir(os.path.join(self.recipe_folder, "..", "..")):
            if entry.name.startswith(LEFT_OUT):
                continue
            if entry.is_dir():
                shutil.copytree(entry.path, os.path.join(self.export_sources_folder, entry.name))
            else:
                shutil.copy2(entry.path, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def source(self):
        if self.conan_data:
            get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for driver in ("sqlite", "postgresql", "mysql"):
            toolchain.cache_variables[f"DBLOCK_{driver.upper()}"] = "ON" if self.options.get_safe(driver) else "OFF"
        toolchain.cache_variables["DBLOCK_CLI"] = bool(self.options.program)
        for other in ("TESTS", "BENCH", "STATIC"):
            toolchain.cache_variables[f"DBLOCK_{other}"] = "OFF"
        toolchain.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # Conan's own files say how it is found; units, completion and documents are for a system's package.
        for folder in ("lib/pkgconfig", "lib/systemd", "share/bash-completion", "share/doc", "share/fish",
                       "share/man", "share/zsh"):
            rmdir(self, os.path.join(self.package_folder, folder))

    def package_info(self):
        # Ours, which has dblock_embed_migrations(), too.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "dblock")]
        self.cpp_info.set_property("pkg_config_name", "dblock")
        self.cpp_info.libs = ["dblock"]
        self.cpp_info.system_libs = ["pthread"]
