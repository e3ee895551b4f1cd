import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFrameServer, framesPerTurn } from '../../../src/hsm/server/frame-server.ts'
import { frameOf } from '../../support/frame-mutation.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

test('a flood of frames leaves turns of the event loop for others, and each frame is received', async () => {
  const [senders, each] = [4, 20_000]
  const seen = { frames: 0, inTurn: 0, most: 0 }
  const nothing = { hold: () => undefined }
  const quiet = () => undefined
  const server = createFrameServer({
    dispatch: () => [],
    queue: {
      add: () => {
        seen.frames += 1
        seen.inTurn += 1
      },
      isIdle: () => true,
    },
    unfinished: nothing,
    unread: nothing,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  })
  onTestFinished(() => void server.close())
  const path = join(givenDirectory(), 'socket')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const flood = Buffer.concat(Array.from({ length: each }, () => frameOf({ code: 1, fields: [] })))
  for (let at = 0; at < senders; at += 1) {
    const sender = connect(path).resume()
    onTestFinished(() => void sender.destroy())
    sender.write(flood)
  }
  while (seen.frames < senders * each) {
    await new Promise((resolve) => setImmediate(resolve))
    seen.most = Math.max(seen.most, seen.inTurn)
    seen.inTurn = 0
  }
  expect(seen.frames).toBe(senders * each)
  // Between two looks lie the end of one turn and the beginning of the next, where a chunk may end and another begin.
  expect(seen.most).toBeLessThanOrEqual(4 * framesPerTurn)
})
