import { lstatSync, statSync, unlinkSync } from 'node:fs'
import { type Server, connect } from 'node:net'
import { dirname } from 'node:path'

const firstPassedDescriptor = 3

/**
 * Makes `server` listen on a unix socket that its owner alone may use. A file that a dead host left is replaced. Throws
 * when another host serves there, when the file is no socket, or when others own its folder or may write to it: they
 * could put a socket of their own in its place.
 */
export async function listenOn(server: Server, path: string): Promise<void> {
  const folder = statSync(dirname(path))
  if ((folder.mode & 0o022) !== 0) {
    throw new Error(
      `Others may write to ${dirname(path)}, the folder of the socket in hsm.sockets: chmod go-w ${dirname(path)}`,
    )
  }
  if (folder.uid !== 0 && folder.uid !== process.getuid?.()) {
    throw new Error(`${dirname(path)}, the folder of the socket in hsm.sockets, belongs to another user: chown it`)
  }
  await removeStale(path)
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ path }, resolve)
    })
  } finally {
    process.umask(before)
  }
}

/** The socket that systemd passes as descriptor 3 (sd_listen_fds(3)). */
export function listenOnPassed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen({ fd: firstPassedDescriptor }, resolve)
  })
}

async function removeStale(path: string): Promise<void> {
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file === undefined) return
  if (!file.isSocket()) throw new Error(`${path} in hsm.sockets is a file, but no socket: name another path`)
  if (await isServed(path))
    throw new Error(`Another token host serves ${path}: stop it, or name another path in hsm.sockets`)
  unlinkSync(path)
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}
