// A browser and a service that speak and listen in real time miss a moment on a busy machine: what fails twice has a fault.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
