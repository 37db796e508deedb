import { saysSomething } from './fillers.js';

it.each(['Stop.', 'wait', 'no', 'uh, what about Mars?', 'Moment mal', '等一下', 'yes but'])(
  '%j says something',
  (text) => {
    expect(saysSomething(text)).toBe(true);
  },
);

it.each(['', 'Mhm.', 'uh-huh', 'Yeah, yeah.', '…', 'Okay', 'hm'])('%j only shows that somebody listens', (text) => {
  expect(saysSomething(text)).toBe(false);
});
