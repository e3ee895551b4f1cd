import type { ProcessUsage, WorkerReport } from './worker-report.ts'

/** The state of the appliance at one moment. Times are in milliseconds since the Unix epoch. */
export interface Observation {
  readonly at: number
  readonly primary: ProcessUsage
  readonly workers: readonly WorkerObservation[]
  readonly keeper: HostObservation
  /** Token hosts, in the order of `hsm.sockets`. */
  readonly hosts: readonly HostObservation[]
  readonly keyMaker: HostObservation
  readonly folders: readonly FolderObservation[]
  /** The error that prevents writes to the folder of the audit trail; undefined if there is none. */
  readonly trailFolderFault: string | undefined
  readonly clock: ClockObservation
  /** Expiry times of certificates and revocation lists, by their purpose. */
  readonly certificateEnds: Readonly<Record<string, number>>
}

export interface WorkerObservation {
  readonly number: number
  readonly isListening: boolean
  /** How often it was restarted. */
  readonly restarts: number
  /** Undefined if it did not answer in time. */
  readonly report: WorkerReport | undefined
}

export interface HostObservation {
  readonly name: string
  readonly state: 'ready' | 'sealed' | 'down'
  /** How often its connection was lost. */
  readonly losses: number
  /** Free space of the token, if the host knows it; of the keeper that of the disk of its files. */
  readonly room?: TokenRoom | undefined
}

export interface TokenRoom {
  readonly kind: 'memory' | 'disk'
  readonly freeBytes: number
  readonly totalBytes: number
}

export interface ClockObservation {
  /** How far the clock is behind earlier work of the appliance; otherwise 0. */
  readonly behindMs: number
  /** How long it has been behind, measured with a monotonic clock. */
  readonly forMs: number
}

export interface FolderObservation {
  readonly folder: 'audit' | 'database' | 'token' | 'keeper' | 'backup' | 'temporary'
  readonly freeBytes: number
  readonly sizeBytes: number
}
