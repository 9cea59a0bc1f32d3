# SPDX-License-Identifier: MIT
"""The Python blocks of docs/user/python.md are run, one after another, and do what they say."""

import contextlib
import io
import os
import re
import unittest


DOCUMENT = os.path.join(os.environ["DBLOCK_SOURCE_DIR"], "docs", "user", "python.md")


class Document(unittest.TestCase):
    def setUp(self):
        os.chdir(os.environ["DBLOCK_TEST_TMP"])
        with open(DOCUMENT) as stream:
            self.blocks = re.findall(r"^```python\n(.*?)^```$", stream.read(), re.M | re.S)
        self.done = []
        self.names = {
            "write_report": lambda token: self.done.append(("report", token)),
            "deploy": lambda: self.done.append(("deploy", 0)),
            "read": lambda: self.done.append(("read", 0)),
            "transfer": lambda tokens: self.done.append(("transfer", len(tokens))),
            "batches": lambda: [1, 2],
            "store": lambda batch, token: self.done.append(("store", batch)),
            "work": lambda: self.done.append(("work", 0)) or len(self.done) % 3 != 0,
            "fetch": self.fetch,
        }

    async def fetch(self, token):
        self.done.append(("fetch", token))

    def test_they_run(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for number, block in enumerate(self.blocks):
                exec(compile(block, "block %d of python.md" % (number + 1), "exec"), self.names)
        self.names["client"].close()
        self.assertEqual(said.getvalue(), "")
        wanted = {"report": 3, "deploy": 1, "read": 1, "transfer": 1, "store": 2, "fetch": 1}
        for what, times in wanted.items():
            self.assertEqual(sum(name == what for name, _ in self.done), times, what)
        (rest,) = self.names["db"].execute("SELECT n FROM stock").fetchone()
        self.assertEqual(rest, 4)
        self.names["db"].close()


if __name__ == "__main__":
    unittest.main()
