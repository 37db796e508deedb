import { browsFor } from './tone.js';

it.each([
  ['Shall I tell you?', 7],
  ['هل أخبرك؟', 7],
  ['「你好吗？」', 7],
  ['How nice!', 4],
  ['太好了！', 4],
  ['Well…', -3],
  ['Let me think...', -3],
  ['It is so.', 0],
  ['यह ऐसा है।', 0],
  ['No end', 0],
  ['', 0],
])('the brows of %p are raised by %d', (text, height) => {
  expect(browsFor(text)).toBe(height);
});
