import { Reply } from '../turn/choose.js';
import { Sentence } from '../text/sentences.js';
import { SURE } from '../match/scores.js';
import { Turn } from '../turn/turn.js';
import { filled, oneOf } from './skill.js';

/** Of whom a topic is, said back. */
const YOURS: Readonly<Record<string, string>> = {
  my: 'your',
  our: 'your',
  mein: 'dein',
  meine: 'deine',
  meinem: 'deinem',
  meinen: 'deinen',
  meiner: 'deiner',
  mi: 'tu',
  mis: 'tus',
};

/** Asks back what someone wants to know who wants help with something: "I need help with soup". */
export function helpWith(turn: Turn, sentence: Sentence): Reply | undefined {
  const { knowledge } = turn;
  const texts = knowledge.replies('help_with');
  const topic = knowledge.set('help_with').best(sentence.words, sentence.text)?.slots.topic;
  if (!topic || texts.length === 0) return undefined;
  const best = knowledge.intents.best(sentence.terms);
  if (best && best.score >= SURE) return undefined;
  const [first = '', ...rest] = topic.split(' ');
  const own = [YOURS[first.toLowerCase()] ?? first, ...rest].join(' ');
  return { id: 'help_with', answer: filled(oneOf(turn, texts), { topic: own }), isAnswered: true };
}
