import { CompiledScript } from './compiled.js';
import { slotsOf } from '../format/faults.js';
import { SOME } from '../match/fact-book.js';
import { ScriptFile, ScriptIntent, SharedFile } from '../format/script-file.js';
import { IntentIndex } from '../match/intent-index.js';
import { Terms } from '../text/terms.js';
import { thingOverlaps } from './thing-overlaps.js';
import { THRESHOLD, TOO_CLOSE } from '../match/scores.js';

const OWN_SLOTS = ['avatar', 'last', 'topics'];

/**
 * What makes a script answer beside the point, though its format is right: examples that fit two intents, the same
 * answer twice, slots that nothing fills, and topics of which nothing is known. Each fault begins with its place.
 */
export function scriptOverlaps(file: ScriptFile, { knowledge }: CompiledScript): string[] {
  const { rules, intents = [], facts = [], topics = [], unknown = [] } = file;
  const faults: string[] = [];
  if (!knowledge) return faults;
  faults.push(...exampleOverlaps('intents', intents, knowledge.intents, knowledge.terms));
  const known = new Set([...OWN_SLOTS, ...knowledge.slotNames]);
  for (const { id, answers } of [...rules, ...intents])
    for (const slot of answers.flatMap(slotsOf)) if (!known.has(slot)) faults.push(`${id}: nothing fills {${slot}}`);
  for (const answer of unknown.filter((text) => !text.includes('{topics}')))
    faults.push(`unknown: '${answer}' offers no topics`);
  const texts = new Set<string>();
  for (const { text } of facts) {
    if (texts.has(text)) faults.push(`facts: '${text}' is told twice`);
    texts.add(text);
  }
  if (knowledge.things) faults.push(...thingOverlaps(file, knowledge.things, knowledge.terms));
  const leads = (topic: string) =>
    knowledge.facts.about(topic, SOME).length > 0 ||
    (knowledge.intents.best(knowledge.terms.of(topic))?.score ?? 0) >= THRESHOLD;
  for (const topic of topics) if (!leads(topic)) faults.push(`topics: nothing is known about '${topic}'`);
  return faults;
}

/** Examples of statements, which all scripts of a language share, that fit two of them. */
export function statementOverlaps({ statements = [] }: SharedFile, { knowledge }: CompiledScript): string[] {
  return knowledge ? exampleOverlaps('statements', statements, knowledge.statements, knowledge.terms) : [];
}

function exampleOverlaps(name: string, entries: readonly ScriptIntent[], index: IntentIndex, terms: Terms): string[] {
  const faults: string[] = [];
  const own = new Set(entries.map(({ id }) => id));
  const seen = new Map<string, string>();
  for (const { id, examples } of entries) {
    for (const example of examples) {
      const text = example.toLowerCase().trim();
      const before = seen.get(text);
      if (before) faults.push(`${name} (${id}): '${example}' is an example of ${before} too`);
      seen.set(text, id);
      const best = index.best(terms.of(example));
      const others = [best, best?.second].filter((match) => match && match.rule.id !== id && own.has(match.rule.id));
      const other = others.find((match) => match!.score >= TOO_CLOSE);
      if (other && !before) faults.push(`${name} (${id}): '${example}' fits ${other.rule.id} as well`);
    }
  }
  return faults;
}
