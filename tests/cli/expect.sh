# What the tests of the command line share; they end with [ "$failures" = 0 ].
failures=0

complain() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# expect CODE PATTERN COMMAND...: the exit code, and a line of output or messages that matches
expect() {
    local code=$1 pattern=$2 output found
    shift 2
    output=$("$@" 2>&1 </dev/null)
    found=$?
    [ "$found" = "$code" ] || complain "$*: exit $found, expected $code: $output"
    grep -qE -- "$pattern" <<<"$output" || complain "$*: no line matches $pattern: $output"
}
