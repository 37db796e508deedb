/** Prints, as the last line of a run, on which servers its end-to-end suite ran. */
export default class ServersReporter {
  onRunComplete() {
    const names = JSON.parse(process.env.E2E_SERVERS ?? '[]').map(({ name }) => name);
    if (names.length > 0) process.stderr.write(`End-to-end suite ran on: ${names.join(', ')}\n`);
  }
}
