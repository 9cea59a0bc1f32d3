# The address is the publisher's to fill in, and the sum, which cannot stand in the tarball that this file is
# in: `./dev release` writes a copy with it.
vcpkg_download_distfile(ARCHIVE
    URLS "https://downloads.invalid/dblock/v${VERSION}/dblock-${VERSION}.tar.gz"
    FILENAME "dblock-${VERSION}.tar.gz"
    SHA512 0
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

# The version nodes of its symbols, and that it stays when it is unloaded, belong to a shared library.
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        mysql      DBLOCK_MYSQL
        postgresql DBLOCK_POSTGRESQL
        sqlite     DBLOCK_SQLITE
        tools      DBLOCK_CLI
)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DDBLOCK_TESTS=OFF
        -DDBLOCK_BENCH=OFF
        -DDBLOCK_STATIC=OFF
        "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/dblock)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES dblock AUTO_CLEAN)
    # Where dblock_embed_migrations() looks for it.
    vcpkg_replace_string("${CURRENT_PACKAGES_DIR}/share/${PORT}/dblockConfig.cmake"
        "/bin/dblock\"" "/tools/${PORT}/dblock\"")
endif()

# Units, completion and documents are for a system's own package.
file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/debug/include"
    "${CURRENT_PACKAGES_DIR}/debug/lib/systemd"
    "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/lib/systemd"
    "${CURRENT_PACKAGES_DIR}/share/bash-completion"
    "${CURRENT_PACKAGES_DIR}/share/doc"
    "${CURRENT_PACKAGES_DIR}/share/fish"
    "${CURRENT_PACKAGES_DIR}/share/man"
    "${CURRENT_PACKAGES_DIR}/share/zsh"
)
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
