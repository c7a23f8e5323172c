// The growing file of just-bash, whose Python writes to a file system in memory.
// Prints rows as JSON; the write phase alone is timed, and every file is read
// back and compared. benchmarks/growing-file runs a copy of it beside the
// node_modules that has the package.
import {Bash} from 'just-bash';

const program = `
import json, time
data = bytes(range(256)) * 4
rows = []
for buffering in [0, 8192]:
    for mebibytes in [1, 2, 4, 8]:
        count = mebibytes * 1024
        samples = []
        for run in range(6):
            with open('/tmp/growing-file', 'wb', buffering=buffering) as file:
                start = time.perf_counter()
                for _ in range(count):
                    file.write(data)
                elapsed = (time.perf_counter() - start) * 1000
            with open('/tmp/growing-file', 'rb') as file:
                assert file.read() == data * count
            if run > 0:
                samples.append(elapsed)
        rows.append({'buffering': buffering, 'mebibytes': mebibytes, 'samples': samples})
print(json.dumps(rows))
`;
const bash = new Bash({python: true, executionLimits: {maxPythonTimeoutMs: 1_200_000}});
const result = await bash.exec(`python3 - <<'PY'${program}PY`);
process.stderr.write(result.stderr);
process.stdout.write(result.stdout);
process.exit(result.exitCode);
