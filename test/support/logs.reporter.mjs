import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What no log line may contain. The texts are those of the tests' messages. */
const FORBIDDEN = {
  'a token': /eyJ[\w-]{10,}/,
  'a secret': /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])|a secret of this test|a former secret/,
  'the signature of a URL': /signature=|[?&]expires=/,
  'the words of a user or an avatar':
    /How far is the moon|384,400|You said:|for nobody else|provider said|Count for ever/,
  'a user': /user-[0-9a-f]{12}|not-to-be-logged/,
};
const OF_A_REQUEST = ['level', 'method', 'ms', 'request_id', 'route', 'status', 'time', 'trace_id'];
const START =
  /^Avatar chat service listening on http:\S+( \(.*\))?(; \S+ at \S+ answers for scripted avatars)?( with \d+ workers)?$/;

/** Checks every line that the service has logged in the end-to-end suite, in its own processes or in the tests'. */
export default class LogsReporter {
  faults = [];

  onRunComplete() {
    const directory = process.env.E2E_LOGS;
    if (!directory) return;
    const requests = new Set();
    let count = 0;
    for (const file of readdirSync(directory)) {
      for (const line of readFileSync(join(directory, file), 'utf8').split('\n').filter(Boolean)) {
        count++;
        this.check(line, requests);
      }
    }
    rmSync(directory, { recursive: true });
    const summary = `${count} lines of log, of ${requests.size} requests: ${this.faults.length} faults`;
    process.stderr.write(`${[summary, ...this.faults.slice(0, 20)].join('\n')}\n`);
  }

  check(line, requests) {
    for (const [what, pattern] of Object.entries(FORBIDDEN))
      if (pattern.test(line)) this.faults.push(`A line of log has ${what} in it: ${line}`);
    if (START.test(line)) return;
    let entry;
    try {
      entry = JSON.parse(line);
    } catch {
      this.faults.push(`A line of log is not JSON: ${line}`);
      return;
    }
    if (entry.route === undefined) return;
    if (Object.keys(entry).sort().join() !== OF_A_REQUEST.join())
      this.faults.push(`A request's line of log has other fields: ${line}`);
    if (requests.has(entry.request_id)) this.faults.push(`A request has two lines of log: ${line}`);
    requests.add(entry.request_id);
  }

  /** Makes Jest fail the run. */
  getLastError() {
    if (this.faults.length > 0) return new Error('The log holds what it must not');
  }
}
