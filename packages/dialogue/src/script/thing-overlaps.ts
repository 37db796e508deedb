import { ScriptFile } from '../format/script-file.js';
import { contentOf, Terms } from '../text/terms.js';
import { questionOf, ThingBook } from '../match/thing-book.js';
import { NAME } from '../match/naming.js';
import { TOO_CLOSE } from '../match/scores.js';

/**
 * What makes the things of a script answer beside the point: questions of a kind that mean the same, names that two
 * things of a kind share or that are common words, and texts that are told twice.
 */
export function thingOverlaps({ questions = {}, things = [] }: ScriptFile, book: ThingBook, terms: Terms): string[] {
  const faults: string[] = [];
  for (const [kind, some] of Object.entries(questions))
    for (const [id, examples] of Object.entries(some))
      for (const example of examples) {
        const best = book.question(kind, terms.of(example.replace('{thing}', ` ${NAME} `)));
        const others = [best, best?.second].filter((match) => match && match.score >= TOO_CLOSE);
        for (const other of others)
          if (questionOf(other!) !== id)
            faults.push(`questions.${kind}.${id}: '${example}' fits ${questionOf(other!)} as well`);
      }
  const owners = new Map<string, number>();
  const texts = new Map<string, string>();
  for (const [index, { kind, names, says }] of things.entries()) {
    const place = `things[${index}] (${names[0]})`;
    for (const name of names) {
      const key = `${kind} ${book.stemsOf(name).join(' ')}`;
      const owner = owners.get(key) ?? index;
      if (owner !== index)
        faults.push(`${place}: '${name}' is a name of things[${owner}] (${things[owner]!.names[0]}) too`);
      owners.set(key, owner);
      if (contentOf(terms.of(name)).length === 0) faults.push(`${place}: '${name}' is a common word`);
    }
    for (const [id, text] of Object.entries(says)) {
      const before = texts.get(text);
      if (before) faults.push(`${place}.says.${id}: is what ${before} says too`);
      texts.set(text, `${place}.says.${id}`);
    }
  }
  return faults;
}
