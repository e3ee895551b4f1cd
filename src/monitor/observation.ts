import type { ProcessUsage, WorkerReport } from './worker-report.ts'

/** What the monitor sees of the appliance at one moment; times in milliseconds since 1970. */
export interface Observation {
  readonly at: number
  readonly primary: ProcessUsage
  readonly workers: readonly WorkerObservation[]
  readonly keeper: HostObservation
  /** Token hosts, in the order of `hsm.sockets`. */
  readonly hosts: readonly HostObservation[]
  readonly keyMaker: HostObservation
  readonly folders: readonly FolderObservation[]
  /** Why nothing can be written to the folder of the audit trail; undefined where it can. */
  readonly trailFolderFault: string | undefined
  readonly clock: ClockObservation
  /** When certificates and revocation lists end, by what they are of. */
  readonly certificateEnds: Readonly<Record<string, number>>
}

export interface WorkerObservation {
  readonly number: number
  readonly isListening: boolean
  /** How often it was started anew. */
  readonly restarts: number
  /** Undefined where it did not answer in time. */
  readonly report: WorkerReport | undefined
}

export interface HostObservation {
  readonly name: string
  readonly state: 'ready' | 'sealed' | 'down'
  /** How often its connection was lost. */
  readonly losses: number
  /** What the token can still hold, where a host knows. */
  readonly room?: TokenRoom | undefined
}

export interface TokenRoom {
  readonly kind: 'memory' | 'disk'
  readonly freeBytes: number
  readonly totalBytes: number
}

export interface ClockObservation {
  /** How far it is behind what the appliance did before; 0 where it is not. */
  readonly behindMs: number
  /** For how long this has been so, by a clock that is not set. */
  readonly forMs: number
}

export interface FolderObservation {
  readonly folder: 'audit' | 'database' | 'token' | 'temporary'
  readonly freeBytes: number
  readonly sizeBytes: number
}
