import { fileResponse } from './file.response.js';

const file = { file_id: 'abc', size: 1000, content_type: 'audio/mpeg' };
const ask = (headers: Record<string, string> = {}, method = 'GET') => fileResponse(file, { method, headers });

describe('fileResponse', () => {
  it('sends the whole file, with the headers of a recording', () => {
    expect(ask()).toEqual({
      status: 200,
      range: { start: 0, end: 1000 },
      headers: {
        'Accept-Ranges': 'bytes',
        'Cache-Control': 'private, max-age=3600, immutable',
        'Content-Disposition': 'inline',
        'Content-Length': '1000',
        'Content-Security-Policy': 'sandbox',
        'Content-Type': 'audio/mpeg',
        ETag: '"abc"',
      },
    });
  });

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=0-', 0, 1000],
    ['bytes=10-19', 10, 20],
    ['bytes=999-', 999, 1000],
    ['bytes=990-5000', 990, 1000],
    ['bytes=-1', 999, 1000],
    ['bytes=-5000', 0, 1000],
    ['Bytes=5-5', 5, 6],
  ])('sends the range %s', (range, start, end) => {
    expect(ask({ range })).toMatchObject({
      status: 206,
      range: { start, end },
      headers: { 'Content-Range': `bytes ${start}-${end - 1}/1000`, 'Content-Length': String(end - start) },
    });
  });

  it.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0', 'bytes=999999999999999-'])('rejects the range %s', (range) => {
    expect(() => ask({ range })).toThrow(
      expect.objectContaining({
        status: 416,
        code: 'range_not_satisfiable',
        headers: { 'Content-Range': 'bytes */1000' },
      }),
    );
  });

  it.each([
    'bytes=0-1,5-6',
    'bytes=',
    'bytes=-',
    'bytes=9-3',
    'bytes=a-b',
    'lines=0-1',
    'bytes=0x1-2',
    'bytes=9999999999999999-',
  ])('sends the whole file for %s', (range) => {
    expect(ask({ range })).toMatchObject({ status: 200, range: { start: 0, end: 1000 } });
  });

  it.each([
    ['"abc"', 206],
    ['"other"', 200],
    ['W/"abc"', 200],
    ['Fri, 21 Nov 2025 06:12:00 GMT', 200],
  ])('sends a range only of the version that If-Range %s means: %i', (ifRange, status) => {
    expect(ask({ range: 'bytes=0-1', 'if-range': ifRange })).toMatchObject({ status });
  });

  it.each([
    ['"abc"', 304],
    ['W/"abc"', 304],
    ['"x", "abc"', 304],
    ['*', 304],
    ['"x"', 200],
    ['abc', 200],
  ])('sends nothing that If-None-Match %s has: %i', (ifNoneMatch, status) => {
    const answer = ask({ 'if-none-match': ifNoneMatch });
    expect(answer.status).toBe(status);
    expect(answer.range === undefined).toBe(status === 304);
  });

  it('answers HEAD with the headers of the whole file, and no range', () => {
    expect(ask({ range: 'bytes=5000-' }, 'HEAD')).toMatchObject({
      status: 200,
      range: undefined,
      headers: { 'Content-Length': '1000' },
    });
  });
});
