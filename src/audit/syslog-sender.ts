import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { connect, type ConnectionOptions } from 'node:tls'

export interface SyslogSettings {
  readonly host: string
  readonly port: number
  /** PEM file with the CA of the receiver's certificate. */
  readonly ca: string
  /** PEM files with the client certificate and its key, by which the receiver identifies this machine. */
  readonly certificate?: string | undefined
  readonly key?: string | undefined
}

export interface SyslogMessage {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** MSGID of RFC 5424. */
  readonly kind: string
  /** Structured data of RFC 5424 §6.3, or `-`. */
  readonly data: string
  readonly text: string
}

export interface SyslogSender {
  /** Shown in the journal and by `strongroom doctor`. */
  readonly address: string
  /** Resolves once the receiver has read all messages. */
  send(messages: readonly SyslogMessage[]): Promise<void>
}

const timeoutMs = 10_000

// Facility 13 (log audit), severity 6 (informational): RFC 5424 §6.2.1.
const priority = 13 * 8 + 6

/**
 * Sends messages to a syslog receiver over TLS (RFC 5425). The protocol has no acknowledgement, and messages may be
 * lost with a connection. So each connection carries one batch and is then closed from our side. The receiver closes
 * its side once it has read the whole batch (RFC 5425 §4.4), and only then do the messages count as sent. The package
 * that is used most for this does not wait for that.
 */
export function createSyslogSender(settings: SyslogSettings): SyslogSender {
  const machine = hostname().replace(/[^!-~]/g, '') || '-'
  return {
    address: `${settings.host}:${settings.port}`,
    async send(messages) {
      const socket = connect(connectionTo(settings))
      socket.setTimeout(timeoutMs, () =>
        socket.destroy(new Error(`the receiver did not answer within ${timeoutMs / 1000} s`)),
      )
      const closed = once(socket, 'close')
      try {
        await once(socket, 'secureConnect')
        socket.resume().end(messages.map((message) => frame(lineOf(message, machine))).join(''))
        await once(socket, 'end')
        await closed
      } finally {
        socket.destroy()
        await closed.catch(() => undefined)
      }
    },
  }
}

/** Reads the files at each connection, so that renewed certificates are used without a restart. */
function connectionTo({ host, port, ca, certificate, key }: SyslogSettings): ConnectionOptions {
  return {
    host,
    port,
    ca: readFileSync(ca),
    minVersion: 'TLSv1.2',
    ...(certificate === undefined ? {} : { cert: readFileSync(certificate) }),
    ...(key === undefined ? {} : { key: readFileSync(key) }),
  }
}

/** Adds the length in octets before the message (RFC 5425 §4.3). */
const frame = (message: string): string => `${Buffer.byteLength(message)} ${message}`

/** The message in the format of RFC 5424 §6. */
function lineOf({ at, kind, data, text }: SyslogMessage, machine: string): string {
  return `<${priority}>1 ${new Date(at).toISOString()} ${machine} strongroom - ${kind} ${data} ${text}`
}
