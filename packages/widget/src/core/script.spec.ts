import { sharedState } from '../loader/contract.js';

it.each([
  ['at the root of its server', 'https://chat.test/widget.js?v=1', 'https://chat.test/'],
  ['under a prefix', 'https://shop.test/talk/v1/widget.js?v=1', 'https://shop.test/talk/v1/'],
])('the service URL is derived from the script URL: %s', async (_, src, service) => {
  sharedState().src = src;
  jest.resetModules();
  const { SERVICE, WORKLET } = await import('./script.js');
  expect(SERVICE).toBe(service);
  expect(WORKLET).toBe(`${service}widget.worklet.js`);
});
