import { Logger } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { ModelInstaller } from './model.installer.js';
import { ModelStore } from 'avatar-chat-model-files';

describe('ModelInstaller', () => {
  let warnings: unknown[];
  beforeEach(() => {
    warnings = [];
    jest.useFakeTimers();
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => void warnings.push(message));
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('only logs that the directory of models cannot be read', async () => {
    const store = new ModelStore('/there/is/none');
    const unreadable = jest.spyOn(store, 'isInstalled').mockRejectedValue(new RangeError('/home/secret'));
    const installer = new ModelInstaller(new Config(), store);
    installer.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(1000);
    installer.onApplicationShutdown();
    expect(unreadable).toHaveBeenCalledTimes(1);
    expect(warnings).toEqual(['The model for speech was not installed: RangeError']);
  });
});
