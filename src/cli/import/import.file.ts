import type { FileHandle } from 'node:fs/promises';
import type { Memories, MemoryImport, MemoryOutcome } from '../../memory/index.js';
import type { ImportOutcome, ImportedMessage, MessageArchive } from '../../messages/index.js';
import { batches, type Line, readLines } from 'avatar-chat-runtime';
import { CommandError, type Terminal } from 'avatar-chat-command-line';
import { readMessage } from './import.message.js';
import { ImportReport } from './import.report.js';
import { SeenMessages } from './import.seen.js';

const CHUNK_BYTES = 256 * 1024;

interface ImportOptions {
  archive: MessageArchive;
  memories: Pick<Memories, 'startImport'>;
  /** Identifiers of the existing projects. */
  projects: ReadonlySet<string>;
  skipBad: boolean;
  /** Unix time in milliseconds. */
  now: number;
  terminal: Terminal;
}

/** Number of lines by outcome. */
export interface Summary {
  imported: number;
  stored: number;
  bad: number;
  /** Memories of users who have enough newer ones. */
  old: number;
}

interface Step {
  messages(messages: ImportedMessage[]): Promise<ImportOutcome[]>;
  memories: MemoryImport;
}

/** Why a line is not imported. */
const FAULTS: Partial<Record<ImportOutcome | MemoryOutcome, string>> = {
  erased: 'its user or project was erased while the file was imported',
  taken: '_id is that of an earlier, different message',
  other: 'memory.memory_id is that of an earlier, different memory',
};

/**
 * Imports a file of JSON lines. Unless bad lines are to be skipped, it is read twice: if the first pass finds a bad
 * line, there is no second one, and nothing is written.
 */
export async function importFile(
  file: FileHandle,
  { archive, memories, projects, skipBad, now, terminal }: ImportOptions,
): Promise<Summary> {
  const stat = await file.stat();
  if (!skipBad && !stat.isFile()) throw new CommandError('Only a file can be imported without --skip-bad.');
  const start = stat.isFile() ? { start: 0 } : {};
  const pass = async (label: string, step: Step): Promise<Summary> => {
    const report = new ImportReport(terminal, stat.isFile() ? stat.size : 0);
    const counts = { new: 0, stored: 0, old: 0 };
    const chunks = file.createReadStream({ ...start, autoClose: false, highWaterMark: CHUNK_BYTES });
    for await (const lines of batches(readLines(chunks as AsyncIterable<Buffer>), ({ bytes }) => bytes.length)) {
      const outcomes = await judge(lines, projects, now, step);
      for (const { number, faults, outcome } of outcomes) {
        if (outcome === 'new' || outcome === 'stored' || outcome === 'old') counts[outcome]++;
        else report.badLine(number, faults);
      }
      report.progress(label, lines.at(-1)!.number, lines.at(-1)!.end);
    }
    report.finish();
    return { imported: counts.new, stored: counts.stored, bad: report.bad, old: counts.old };
  };
  const fence = await archive.currentFence();
  if (!skipBad) {
    const seen = new SeenMessages();
    const { bad } = await pass('checking', {
      messages: async (messages) => {
        const outcomes = await archive.check(messages);
        return messages.map((message, index) => (seen.clashes(message) ? 'taken' : outcomes[index]!));
      },
      memories: memories.startImport(),
    });
    if (bad > 0) return { imported: 0, stored: 0, bad, old: 0 };
  }
  return pass('importing', {
    messages: (messages) => archive.add(messages, fence),
    memories: memories.startImport(fence),
  });
}

interface Verdict {
  number: number;
  outcome?: ImportOutcome | MemoryOutcome;
  faults: string[];
}

/** The outcome of each line that is not blank, in order. */
async function judge(
  lines: readonly Line[],
  projects: ReadonlySet<string>,
  now: number,
  step: Step,
): Promise<Verdict[]> {
  const messages: ImportedMessage[] = [];
  const verdicts: Verdict[] = [];
  const good: Verdict[] = [];
  for (const line of lines) {
    const reading = readMessage(line, projects, now);
    if (!reading) continue;
    const verdict: Verdict = { number: line.number, faults: 'faults' in reading ? reading.faults : [] };
    verdicts.push(verdict);
    if ('message' in reading) {
      good.push(verdict);
      messages.push(reading.message);
    } else if ('memory' in reading) verdict.outcome = await step.memories.add(reading.memory);
  }
  const outcomes = messages.length > 0 ? await step.messages(messages) : [];
  good.forEach((verdict, index) => (verdict.outcome = outcomes[index]));
  for (const { outcome, faults } of verdicts) if (outcome && FAULTS[outcome]) faults.push(FAULTS[outcome]);
  return verdicts;
}
