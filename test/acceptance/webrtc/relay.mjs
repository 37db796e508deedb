/** A network that loses packets: clients send to it instead of the service. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/**
 * @param {number} loss from 0 to 1, in each direction
 * @returns {Promise<{ through: (answer: string) => string, lost: () => number, passed: () => number, stop: () => void }>}
 *   `through` replaces the addresses of an SDP answer
 */
export async function startRelay(loss) {
  const front = createSocket('udp4').bind(0, '127.0.0.1');
  await once(front, 'listening');
  /** One for each client, by its port. @type {Map<number, import('node:dgram').Socket>} */
  const backs = new Map();
  let [lost, passed, target] = [0, 0, 0];
  const isLost = () => {
    const is = Math.random() < loss;
    if (is) lost++;
    else passed++;
    return is;
  };
  front.on('message', (packet, { port }) => {
    let back = backs.get(port);
    if (!back) {
      backs.set(port, (back = createSocket('udp4')));
      back.on('message', (answer) => isLost() || front.send(answer, port, '127.0.0.1'));
    }
    if (!isLost()) back.send(packet, target, '127.0.0.1');
  });
  return {
    through(answer) {
      const candidate = /^a=candidate:\S+ 1 udp \d+ 127\.0\.0\.1 (\d+) .*$/m.exec(answer);
      if (!candidate) throw new Error('The answer has no candidate of this machine');
      target = Number(candidate[1]);
      const shown = candidate[0].replace(`127.0.0.1 ${target}`, `127.0.0.1 ${front.address().port}`);
      return answer.replace(/^(a=candidate:.*\r\n)+/m, `${shown.trim()}\r\n`);
    },
    lost: () => lost,
    passed: () => passed,
    stop() {
      front.close();
      for (const back of backs.values()) back.close();
    },
  };
}
