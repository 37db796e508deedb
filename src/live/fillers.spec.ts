import { saysSomething } from './fillers.js';

it.each(['Stop.', 'wait', 'no', 'uh, what about Mars?', 'Moment mal', '等一下', 'yes but'])(
  '%j has content',
  (text) => {
    expect(saysSomething(text)).toBe(true);
  },
);

it.each(['', 'Mhm.', 'uh-huh', 'Yeah, yeah.', '…', 'Okay', 'hm'])('%j is only a backchannel', (text) => {
  expect(saysSomething(text)).toBe(false);
});
