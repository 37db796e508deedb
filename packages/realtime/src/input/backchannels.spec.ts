import { isMoreThanBackchannel } from './backchannels.js';

it.each(['Stop.', 'wait', 'no', 'uh, what about Mars?', 'Moment mal', '等一下', 'yes but'])(
  '%j has content',
  (text) => {
    expect(isMoreThanBackchannel(text)).toBe(true);
  },
);

it.each(['', 'Mhm.', 'uh-huh', 'Yeah, yeah.', '…', 'Okay', 'hm'])('%j is only a backchannel', (text) => {
  expect(isMoreThanBackchannel(text)).toBe(false);
});
