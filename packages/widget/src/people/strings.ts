/** `{name}` is a name, `{n}` a number of minutes. */
const en = {
  group: 'Who answers',
  ask: 'Ask for a person',
  waiting: 'Waiting for a person, who will read what you write. If nobody comes within {n} min, {name} answers again.',
  person: '{name}, a person, answers now.',
  returned: '{name} answers again.',
  typing: '{name} is typing…',
  back: 'Back to {name}',
  nobody: 'At the moment no person can be asked for here.',
  notify: 'Notify me',
};

/** The texts in one language. */
export type PeopleStrings = Readonly<typeof en>;

const WORDS: Readonly<Record<string, PeopleStrings>> = {
  en,
  ar: {
    group: 'من يجيب',
    ask: 'اطلب التحدث إلى إنسان',
    waiting: 'في انتظار إنسان سيقرأ ما تكتبه. إذا لم يحضر أحد خلال {n} دقيقة، تعود الإجابة إلى {name}.',
    person: 'يجيبك الآن إنسان: {name}.',
    returned: 'عادت الإجابة إلى {name}.',
    typing: '{name}: جارٍ الكتابة…',
    back: 'العودة إلى {name}',
    nobody: 'لا يمكن الوصول إلى إنسان هنا في الوقت الحالي.',
    notify: 'أرسل إليّ إشعارًا',
  },
  de: {
    group: 'Wer antwortet',
    ask: 'Einen Menschen rufen',
    waiting:
      'Du wartest auf einen Menschen, der lesen wird, was du schreibst. Kommt innerhalb von {n} min niemand, antwortet wieder {name}.',
    person: 'Jetzt antwortet ein Mensch: {name}.',
    returned: 'Jetzt antwortet wieder {name}.',
    typing: '{name} schreibt…',
    back: 'Zurück zu {name}',
    nobody: 'Im Moment ist hier kein Mensch zu erreichen.',
    notify: 'Benachrichtige mich',
  },
  es: {
    group: 'Quién responde',
    ask: 'Pedir una persona',
    waiting: 'Esperas a una persona, que leerá lo que escribas. Si nadie viene en {n} min, volverá a responder {name}.',
    person: 'Ahora responde una persona: {name}.',
    returned: 'Vuelve a responder {name}.',
    typing: '{name} está escribiendo…',
    back: 'Volver con {name}',
    nobody: 'En este momento no se puede avisar a ninguna persona.',
    notify: 'Avísame',
  },
  fr: {
    group: 'Qui répond',
    ask: 'Demander une personne',
    waiting:
      'Tu attends une personne, qui lira ce que tu écris. Si personne ne vient dans les {n} min, {name} répondra de nouveau.',
    person: 'Une personne répond maintenant : {name}.',
    returned: '{name} répond de nouveau.',
    typing: '{name} écrit…',
    back: 'Revenir à {name}',
    nobody: 'En ce moment, personne ne peut être joint ici.',
    notify: 'Me prévenir',
  },
  hi: {
    group: 'कौन जवाब देता है',
    ask: 'किसी व्यक्ति को बुलाएँ',
    waiting: 'किसी व्यक्ति का इंतज़ार है, जो आपका लिखा पढ़ेगा। अगर {n} मिनट में कोई न आए, तो {name} की ओर से फिर जवाब आएगा।',
    person: 'अब एक व्यक्ति जवाब दे रहा है: {name}।',
    returned: 'अब फिर {name} की ओर से जवाब आएगा।',
    typing: '{name} लिख रहे हैं…',
    back: '{name} पर वापस जाएँ',
    nobody: 'इस समय यहाँ किसी व्यक्ति को नहीं बुलाया जा सकता।',
    notify: 'मुझे सूचित करें',
  },
  pt: {
    group: 'Quem responde',
    ask: 'Pedir uma pessoa',
    waiting:
      'À espera de uma pessoa, que vai ler o que você escrever. Se ninguém vier em {n} min, {name} volta a responder.',
    person: 'Agora responde uma pessoa: {name}.',
    returned: '{name} volta a responder.',
    typing: '{name} está a escrever…',
    back: 'Voltar a {name}',
    nobody: 'De momento não é possível chamar aqui nenhuma pessoa.',
    notify: 'Avisar-me',
  },
  zh: {
    group: '由谁回答',
    ask: '找真人',
    waiting: '正在等待真人，他会看到你写的内容。如果 {n} 分钟内没有人来，{name}会继续回答。',
    person: '现在由真人{name}回答。',
    returned: '现在又由{name}回答。',
    typing: '{name} 正在输入…',
    back: '回到{name}',
    nobody: '目前这里找不到真人。',
    notify: '通知我',
  },
};

/** The texts in a language; English as a fallback. @param tag of the other texts */
export function peopleStrings(tag: string): PeopleStrings {
  return WORDS[tag.split('-')[0]!] ?? en;
}
