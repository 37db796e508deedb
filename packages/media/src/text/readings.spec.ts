import { spokenFrom } from './spoken.text.js';

const READ: Record<string, [string, string][]> = {
  en: [
    ['It costs $5.99, not €1 or $0.50.', 'It costs 5 dollars 99, not 1 euro or 50 cents.'],
    ['$5M, $2.5 million and £1,299.00', '5 million dollars, 2.5 million dollars and 1,299 pounds'],
    ['at 12:30, 9:00, 10:05 or 9:00 am', 'at 12 30, 9 o’clock, 10 oh 5 or 9 am'],
    ['5 km at 100 km/h, 1 kg, -5°C', '5 kilometers at 100 kilometers per hour, 1 kilogram, minus 5 degrees Celsius'],
    ['2026-11-22, 11/28/2026, Nov. 3, 1990', 'November 22nd, 2026, November 28th, 2026, November 3rd, 19 90'],
    ['In 1905 and the 1990s', 'In 19 oh 5 and the 19 90s'],
    [
      'Dr. Smith, No. 5, approx. 10–12, e.g. 3/4',
      'Doctor Smith, number 5, approximately 10 to 12, for example three quarters',
    ],
    ['No. I am 5. You are 6. Call 555-1234 or 192.168.0.1.', 'No. I am 5. You are 6. Call 555-1234 or 192.168.0.1.'],
  ],
  'en-gb': [['on 05/11/2026', 'on November 5th, 2026']],
  de: [
    ['Es kostet 5,99 € oder 1.299,00 €.', 'Es kostet 5 Euro 99 oder 1.299 Euro.'],
    ['1,5 Mio. € und 5 Mio. Menschen', '1,5 Millionen Euro und 5 Millionen Menschen'],
    ['um 12:30 Uhr, 10.05 Uhr, 9:00 Uhr', 'um 12 Uhr 30, 10 Uhr 5, 9 Uhr'],
    ['3,5 kg, 100 km/h, -5 °C', '3,5 Kilogramm, 100 Kilometer pro Stunde, minus 5 Grad Celsius'],
    ['am 3. Oktober 1990', 'am dritten Oktober 19hundert90'],
    ['28.11.2026, der 3. Platz im 2. Stock', 'achtundzwanzigster November 2026, der dritte Platz im zweiten Stock'],
    [
      'z. B. Dr. Müller, Hauptstr. 5, ca. 10–12 usw.',
      'zum Beispiel Doktor Müller, Hauptstraße 5, circa 10 bis 12 und so weiter.',
    ],
    ['Ich bin 5. Du bist 6.', 'Ich bin 5. Du bist 6.'],
  ],
  fr: [
    ['Cela coûte 5,99 € ou 5 millions €.', 'Cela coûte 5 euros 99 ou 5 millions d’euros.'],
    ['à 12h30, 1:00 et 12 h 05', 'à 12 heures 30, 1 heure et 12 heures 5'],
    ['1,5 km, 3 kg, -5 °C', '1,5 kilomètre, 3 kilogrammes, moins 5 degrés Celsius'],
    ['28/11/2026, 2e étage', '28 novembre 2026, 2ème étage'],
    ['M. Dupont, n° 5, env. 20, p. ex. 10–12', 'Monsieur Dupont, numéro 5, environ 20, par exemple 10 à 12'],
  ],
  es: [
    ['Cuesta 5,99 € o $20.', 'Cuesta 5 euros con 99 o 20 dólares.'],
    ['a las 12:30 o 9:00', 'a las 12 y 30 o 9'],
    ['1 km, 100 km/h, -5 °C', '1 kilómetro, 100 kilómetros por hora, menos 5 grados Celsius'],
    ['28/11/2026, 2.ª planta', '28 de noviembre de 2026, 2ª planta'],
    ['Sr. García, n.º 5, aprox. 10–12, EE. UU.', 'señor García, número 5, aproximadamente 10 a 12, Estados Unidos.'],
  ],
  pt: [
    ['Custa R$ 5,99 ou 1 €.', 'Custa 5 reais e 99 ou 1 euro.'],
    ['às 12h30 ou 9:00', 'às 12 horas e 30 ou 9 horas'],
    ['5 km, 2 GB, -5 °C', '5 quilómetros, 2 gigabytes, menos 5 graus Celsius'],
    ['2026-11-28, 1.º de maio', '28 de novembro de 2026, 1º de maio'],
    ['Sra. Silva, n.º 5, p. ex. 10–12', 'senhora Silva, número 5, por exemplo 10 a 12'],
  ],
  ar: [
    ['5.99 $ و 20 €', '5 دولار و 99 و 20 يورو'],
    ['12:30', '12 و 30 دقيقة'],
    ['٥ كم، 50٪، 20 °C', '5 كيلومتر، 50 بالمئة، 20 درجة مئوية'],
    ['28/11/2026', '28 نوفمبر 2026'],
    ['د. أحمد 10–12', 'الدكتور أحمد 10 إلى 12'],
  ],
  hi: [
    ['₹500, ₹1,23,456 और $20', '500 रुपये, 1,23,456 रुपये और 20 डॉलर'],
    ['12:30, 9:00', '12 बजकर 30 मिनट, 9 बजे'],
    ['५ किमी, 3.5 kg, -5 °C', '5 किलोमीटर, 3.5 किलोग्राम, माइनस 5 डिग्री सेल्सियस'],
    ['28/11/2026', '28 नवंबर 2026'],
    ['डॉ. शर्मा 10–12', 'डॉक्टर शर्मा 10 से 12'],
  ],
  cmn: [
    ['¥20，$5.99', '20元，5.99美元'],
    ['12:30，9:00', '12点30分，9点'],
    ['5 km，50%，-5℃', '5 公里，百分之50，负 5 摄氏度'],
    ['2026-11-28，2025年', '二零二六年11月28日，二零二五年'],
    ['3/4，10–12', '四分之三，10 到 12'],
  ],
};

describe.each(Object.entries(READ))('a text in %s', (language, samples) => {
  it.each(samples)('%s', (text, read) => {
    const spoken = spokenFrom(text, {}, language);
    expect(spoken.text.replaceAll(/ +/g, ' ').trim()).toBe(read);
    expect(spoken.positions).toHaveLength(spoken.text.length);
    expect([...spoken.positions].sort((a, b) => a - b)).toEqual(spoken.positions);
  });
});

it('is left as it is in a language without readings, and if what it says cannot be', () => {
  expect(spokenFrom('5 km', {}, 'nl').text).toBe('5 km');
  expect(spokenFrom('2026-13-40 at 25:70', {}, 'en').text).toBe('2026-13-40 at 25:70');
});

it('reads as it is told first, and grows only so far', () => {
  expect(spokenFrom('Dr. X has 5 km', { Dr: 'Docteur' }, 'en').text).toBe('Docteur. X has 5 kilometers');
  expect(spokenFrom('5 km '.repeat(800), {}, 'en').text.length).toBeLessThan(12_000);
});
