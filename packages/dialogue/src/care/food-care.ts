import { answerFrom } from '../conversation/choose.js';
import { Reply, Turn } from '../conversation/turn.js';

/** As many requests back food of which was asked is still meant. */
const REQUESTS = 2;
const UNSAFE = 'unsafe_food';
/** What shows in a short second turn that food is unsafe: "it stood on the counter", "and if I wash it?". */
const MORE = 'unsafe_food_more';

/** What is said to food that may be spoiled: that it goes away, whatever documents may say of its kind. */
export function foodCare(turn: Turn): Reply | undefined {
  const { book, language } = turn.script;
  const says = (id: string, text: string) => book.careSet(id).best(language.wordsOf(text), text) !== undefined;
  const isAsked = () =>
    turn.said.history.slice(-REQUESTS).some(({ request }) => says(UNSAFE, request) || says('safe_food', request));
  if (!says(UNSAFE, turn.request) && !(says(MORE, turn.request) && isAsked())) return undefined;
  const answer = answerFrom(turn, UNSAFE);
  return answer === undefined ? undefined : { id: UNSAFE, answer, kind: 'care' };
}
