import { readScript, talk } from '../../test/scripts.js';

const repliesOf = (language: string, turns: readonly string[]) => talk(readScript('mira').in(language), turns);

/** By language: a question of health, what asks further about it, and what has nothing to do with it. */
const LINES: Readonly<Record<string, readonly [string, readonly string[], readonly string[]]>> = {
  en: [
    'can i take ibuprofen and aspirin together?',
    ['is it dangerous?', 'can i put butter on it?', 'and if it gets worse?', 'what else can i do?', 'does it help?'],
    [
      'Who is the office manager?',
      'What does it cost?',
      'Can I pay by card?',
      'Can I take the bus?',
      'What about small ones?',
    ],
  ],
  de: [
    'darf ich ibuprofen und aspirin zusammen nehmen?',
    ['ist das gefährlich?', 'und wenn es schlimmer wird?', 'hilft das denn?', 'was kann ich noch tun?'],
    ['Wer leitet das Büro?', 'Was kostet das?', 'Kann ich mit Karte bezahlen?', 'Wo ist der Ersatzschlüssel?'],
  ],
  es: [
    '¿puedo tomar ibuprofeno con fiebre?',
    ['¿es peligroso?', '¿y si me duele más?', '¿qué más puedo hacer?', '¿es contagioso?'],
    ['¿Quién dirige la oficina?', '¿Cuánto cuesta?', '¿Puedo pagar con tarjeta?', '¿Dónde está la llave?'],
  ],
  fr: [
    'puis-je prendre de l’ibuprofène avec de la fièvre ?',
    ['est-ce dangereux ?', 'et si ça empire ?', 'dois-je boire du thé ?'],
    ['Qui dirige le bureau ?', 'Combien ça coûte ?', 'Puis-je payer par carte ?', 'Où est la clé ?'],
  ],
  pt: [
    'posso tomar ibuprofeno com febre?',
    ['é perigoso?', 'e se piorar?', 'o que mais posso fazer?', 'posso passar manteiga?'],
    ['Quem dirige o escritório?', 'Quanto custa?', 'Posso pagar com cartão?', 'Onde está a chave?'],
  ],
  ar: [
    'هل يمكنني أخذ ايبوبروفين مع الحمى؟',
    ['هل هذا خطير؟', 'هل أضع عليها زبدة؟'],
    ['من مدير المكتب؟', 'كم السعر؟', 'أين المفتاح؟'],
  ],
  hi: [
    'क्या मैं बुखार में दवा ले सकता हूं?',
    ['क्या यह खतरनाक है?', 'क्या मक्खन लगाऊँ?'],
    ['दफ़्तर का प्रबंधक कौन है?', 'इसका दाम कितना है?', 'चाबी कहाँ है?'],
  ],
  zh: ['发烧能吃药吗，布洛芬可以吗', ['危险吗？', '可以涂黄油吗？'], ['办公室经理是谁？', '多少钱？', '钥匙在哪里？']],
};

it.each(Object.entries(LINES))(
  'a refusal of advice lasts for questions about it alone: %s',
  (language, [asked, further, other]) => {
    const wrong = [asked, ...further, ...other].filter((request) => {
      const turns = request === asked ? [asked] : [asked, request];
      const { id, isAdvice = false } = repliesOf(language, turns).at(-1)!;
      return isAdvice === other.includes(request) || (id === 'safe_medical') !== isAdvice;
    });
    expect(wrong).toEqual([]);
  },
);

it('danger is no mere advice', () => {
  const turns = ['can i drink wine with my antidepressants', 'i want to die', 'my chest hurts and my left arm is numb'];
  for (const request of turns) {
    const [reply] = repliesOf('en', [request]);
    expect(reply).toMatchObject({ kind: 'care' });
    expect(reply).not.toHaveProperty('isAdvice');
  }
});
