import { ModelError } from './model.error.js';
import { ModelStore } from './model.store.js';

/** Message from the child process to the service. Of several processes only the one that downloads reports. */
export type InstallationReport = 'begun' | 'half' | 'done' | { failure: string };

const [, , directory = '', name = ''] = process.argv;
const store = new ModelStore(directory);
const report = (message: InstallationReport) => process.send!(message);
process.on('disconnect', () => process.exit());

let reported: InstallationReport | undefined;
try {
  const isNew = await store.install(store.named(name), {
    onProgress({ received, total }) {
      if (reported === undefined) report((reported = 'begun'));
      else if (reported === 'begun' && received >= total / 2) report((reported = 'half'));
    },
  });
  if (isNew) report('done');
} catch (error) {
  report({ failure: error instanceof ModelError ? error.message : `${name} could not be installed.` });
}
process.disconnect();
