#!/usr/bin/env bash
# Guess: the WebSocket server of foxglove-sdk takes clients of the protocol that Foxglove publishes (ws-protocol, subprotocol foxglove.websocket.v1), and the server of
# @foxglove/ws-protocol those of the SDK.
# Seen: foxglove-sdk 0.30.3 answers foxglove.websocket.v1 with 400 and takes foxglove.sdk.v1 alone; the server of @foxglove/ws-protocol 0.8.0 takes foxglove.websocket.v1 alone.
# So a client that knows one of the two names cannot speak to the other's server, although both packages are of the same year and the same house.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check foxglove-sdk==0.30.3 websockets==15.0.1
npm init -y > npm.log
npm install --silent --no-audit --no-fund @foxglove/ws-protocol@0.8.0 >> npm.log
cat > sdk.py <<'PY'
import asyncio, foxglove, websockets
server = foxglove.start_server(host="127.0.0.1", port=0)
async def answer(name):
    try:
        async with websockets.connect(f"ws://127.0.0.1:{server.port}", subprotocols=[name]) as client:
            return client.subprotocol
    except websockets.exceptions.InvalidStatus as error:
        return error.response.status_code
seen = {name: asyncio.run(answer(name)) for name in ("foxglove.websocket.v1", "foxglove.sdk.v1")}
print("foxglove-sdk 0.30.3:", seen)
server.stop()
assert seen == {"foxglove.websocket.v1": 400, "foxglove.sdk.v1": "foxglove.sdk.v1"}, seen
PY
venv/bin/python sdk.py
cat > published.cjs <<'JS'
const { FoxgloveServer } = require('@foxglove/ws-protocol')
const server = new FoxgloveServer({ name: 'any' })
const seen = ['foxglove.websocket.v1', 'foxglove.sdk.v1'].map((name) => server.handleProtocols([name]))
console.log('@foxglove/ws-protocol 0.8.0:', seen)
require('node:assert').deepEqual(seen, ['foxglove.websocket.v1', false])
JS
node published.cjs
