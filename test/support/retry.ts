// Programs, browsers and voices in real time miss a moment on a busy machine: what fails twice has a fault. A first failure
// is logged, and worth a look.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
