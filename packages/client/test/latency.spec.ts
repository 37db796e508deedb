import { OutputLatency } from '../src/live/latency.js';

it('the latency is asked for when a sound begins and once more, however often it is looked at', () => {
  let asked = 0;
  const context = {
    currentTime: 7,
    get outputLatency() {
      return ++asked / 10;
    },
  };
  const latency = new OutputLatency(context);
  latency.begin();
  expect(latency.seconds).toBe(0.1);
  for (let n = 0; n < 200; n++) {
    context.currentTime += 0.01;
    latency.follow();
  }
  expect([latency.seconds, asked]).toEqual([0.2, 2]);
  latency.begin();
  latency.follow();
  expect([latency.seconds, asked]).toEqual([0.3, 3]);
});
