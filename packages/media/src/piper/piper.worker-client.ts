import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startIsolated } from 'avatar-chat-runtime/processes';
import type { PiperCommand, PiperReport } from './piper.worker.js';
import type { PiperJob } from './piper.synthesizer.js';
import type { StartSynthesisWorker } from '../synthesis/synthesis.queue.js';

/**
 * Runs jobs in a child process: native code crashes its process if a model is not as expected.
 *
 * @param file the compiled program
 */
export function piperWorkerClient(file: URL): StartSynthesisWorker<PiperJob> {
  return (onReport, onEnd) => {
    const directory = mkdtempSync(join(tmpdir(), `piper-${process.pid}-`));
    const remove = () => rmSync(directory, { recursive: true, force: true });
    let child: ChildProcess;
    try {
      child = startIsolated(file, [directory]);
    } catch (error) {
      remove();
      throw error;
    }
    const ended = new Promise<void>((resolve) => {
      child.once('exit', (code) => {
        remove();
        onEnd(code);
        resolve();
      });
    });
    child.on('message', ({ speech }: PiperReport) => onReport(speech));
    // Send errors mean that the process has exited, which its exit event reports.
    const send = (command: PiperCommand) => child.connected && child.send(command, () => undefined);
    return {
      startJob: (job) => send({ job }),
      cancelJob: () => send('cancel'),
      setBusy: (isBusy) => {
        for (const one of [child, child.channel])
          if (isBusy) one?.ref();
          else one?.unref();
      },
      terminate: () => {
        child.ref();
        child.kill('SIGKILL');
        return ended;
      },
    };
  };
}
