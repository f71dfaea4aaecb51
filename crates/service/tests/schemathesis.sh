#!/bin/sh
# Checks a running service against its own OpenAPI document with schemathesis, all checks, 100 examples or more of every operation.
#
#   crates/service/tests/schemathesis.sh URL KEY [EXAMPLES] [SEED]
#
# URL is where the service listens (http://127.0.0.1:8080), KEY a key of an account with very many credits, on the creator plan, without a limit of
# requests (`kinora admin plan --help`). Nothing is installed: schemathesis has to be there (a Python package of this name).
# The second account of the checks is none: a wrong key is refused before anything else.
set -eu
if [ $# -lt 2 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
fi
st=${SCHEMATHESIS:-st}
if ! command -v "$st" >/dev/null 2>&1; then
    echo "schemathesis is missing: install the Python package schemathesis, or name its program st in SCHEMATHESIS" >&2
    exit 3
fi
here=$(cd "$(dirname "$0")" && pwd)
# It keeps notes where it runs.
cd "$(mktemp -d)"
exec "$st" --config-file "$here/schemathesis.toml" run "$1/openapi.json" --url "$1/api/v1" -H "x-api-key: $2" \
    --checks all --max-examples "${3:-100}" --seed "${4:-1}" --no-color
