# SPDX-License-Identifier: MIT
"""What is not ours: Prometheus' own parsers, and a client of plain sockets.

other.py openmetrics|text   parses its input, and prints a line for each number: NAME LABEL=VALUE... NUMBER
other.py ask PORT|PATH      sends its input to a server on the loopback, or at a socket, and prints the answer
"""
import socket
import sys

from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics


def show(families):
    for family in families:
        if family.type != "gauge" or not family.documentation:
            sys.exit(f"{family.name} is a {family.type}, '{family.documentation}'")
        for sample in family.samples:
            labels = [f"{key}={value}" for key, value in sorted(sample.labels.items())]
            print(" ".join([sample.name, *labels, format(sample.value, "f")]))


def ask(where):
    if where.isdigit():
        server = socket.create_connection(("127.0.0.1", int(where)))
    else:
        server = socket.socket(socket.AF_UNIX)
        server.connect(where)
    with server:
        server.sendall(sys.stdin.buffer.read())
        while part := server.recv(65536):
            sys.stdout.buffer.write(part)


if sys.argv[1] == "ask":
    ask(sys.argv[2])
elif sys.argv[1] == "openmetrics":
    show(openmetrics.text_string_to_metric_families(sys.stdin.read()))
else:
    show(parser.text_string_to_metric_families(sys.stdin.read()))
