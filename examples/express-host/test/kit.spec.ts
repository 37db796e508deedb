import { createTestApp } from 'avatar-chat-service/testing';

describe("the service's test kit in a CommonJS host", () => {
  it('starts the service and calls it', async () => {
    const test = await createTestApp();
    try {
      const { status } = await test.call({ path: '/connection', token: await test.token('user-1') });
      expect(status).toBe(200);
    } finally {
      await test.close();
    }
  });
});
