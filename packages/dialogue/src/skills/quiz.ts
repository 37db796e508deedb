import { Reply } from '../turn/choose.js';
import { QuizQuestion } from '../format/script-file.js';
import { Sentence } from '../text/sentences.js';
import { Turn } from '../turn/turn.js';
import { languageOf, skillAnswer } from './skill.js';

const WORDS: Readonly<Record<string, { start: string; right: string; wrong: string; next: string; end: string }>> = {
  en: {
    start: 'A quiz, with pleasure. Say stop when you have had enough.',
    right: "That's right!",
    wrong: 'Not quite: the answer is {answer}.',
    next: 'Next question:',
    end: 'All right, that was the quiz. Thank you for playing.',
  },
  de: {
    start: 'Ein Quiz, sehr gern. Sag Stopp, wenn du genug hast.',
    right: 'Das ist richtig!',
    wrong: 'Nicht ganz: Die Antwort ist {answer}.',
    next: 'Nächste Frage:',
    end: 'Gut, das war das Quiz. Danke fürs Mitspielen.',
  },
  es: {
    start: 'Un concurso, con mucho gusto. Di basta cuando quieras parar.',
    right: '¡Correcto!',
    wrong: 'No exactamente: la respuesta es {answer}.',
    next: 'Siguiente pregunta:',
    end: 'De acuerdo, hasta aquí el concurso. Gracias por jugar.',
  },
};

/** A quiz: a question after the other, each reply judged, until the user stops or asks for something else. */
export function quiz(turn: Turn, sentence: Sentence): Reply | undefined {
  const { knowledge, said } = turn;
  const words = WORDS[languageOf(turn)];
  if (!words || knowledge.quiz.length === 0) return undefined;
  const last = said.history.at(-1)?.answer ?? '';
  const asked = knowledge.quiz.find(({ question }) => last.endsWith(question));
  const wants = knowledge.set('quiz').best(sentence.words, sentence.text) !== undefined;
  if (!asked) return wants ? skillAnswer('quiz', `${words.start} ${nextQuestion(turn)}`) : undefined;
  if (knowledge.set('stop').best(sentence.words, sentence.text)) return skillAnswer('quiz', words.end);
  const isRight = asked.answers.some((answer) => says(turn, sentence, answer));
  if (!isRight && (sentence.asks || sentence.words.length > 6) && !wants) return undefined;
  const verdict = isRight ? words.right : words.wrong.replace('{answer}', () => asked.answers[0]!);
  return skillAnswer('quiz', `${verdict} ${words.next} ${nextQuestion(turn)}`);
}

function says({ knowledge }: Turn, { terms }: Sentence, answer: string): boolean {
  return [...knowledge.terms.of(answer).keys()].every((term) => terms.has(term));
}

/** A question that was not asked lately. */
function nextQuestion({ knowledge, said, seed }: Turn): string {
  const isNew = ({ question }: QuizQuestion) => !said.history.some(({ answer }) => answer.endsWith(question));
  const fresh = knowledge.quiz.filter(isNew);
  const questions = fresh.length > 0 ? fresh : knowledge.quiz;
  return questions[seed % questions.length]!.question;
}
