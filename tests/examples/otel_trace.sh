#!/bin/sh
# SPDX-License-Identifier: MIT
# Each span is a line of OTLP/JSON: the acquire, the hold, the release, of one lock and one trace.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "otel_trace: $*" >&2
	cat out >&2
	exit 1
}

"$DBLOCK_BUILD_DIR/examples/otel_trace" "$DBLOCK_TEST_URL" >out || fail "exit code $?"
# The lines that are not a heartbeat's, by what python3's own reader of JSON makes of them.
python3 - <<'END' || fail "not the spans that it should print"
import json

spans = []
for line in open('out'):
    resource = json.loads(line)['resourceSpans'][0]
    spans += resource['scopeSpans'][0]['spans']
spans = [s for s in spans if s['name'] != 'dblock heartbeat']
assert [s['name'] for s in spans] == ['dblock acquire', 'dblock hold', 'dblock release'], spans
assert len({s['traceId'] for s in spans}) == 1 and len(spans[0]['traceId']) == 32
assert len({s['spanId'] for s in spans}) == 3
for s in spans:
    given = {a['key']: list(a['value'].values())[0] for a in s['attributes']}
    assert given['dblock.lock'] == 'the "nightly" job', given
    assert given['dblock.outcome'] == 'DBLOCK_OK', given
    assert int(given['dblock.token']) > 0, given
    assert int(s['startTimeUnixNano']) <= int(s['endTimeUnixNano'])
acquire, hold, release = spans
assert int(hold['endTimeUnixNano']) - int(hold['startTimeUnixNano']) >= 20 * 1000 * 1000
END
