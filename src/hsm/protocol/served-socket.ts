import { connect } from 'node:net'

/** Whether a process listens on this unix socket. */
export function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}

export const isAnyServed = async (paths: readonly string[]): Promise<boolean> =>
  (await Promise.all(paths.map(isServed))).includes(true)
