import type { AuditEvent } from '../../src/audit/event.ts'

export function eventOf(change: Partial<AuditEvent> = {}): AuditEvent {
  return {
    at: 1_700_000_000_123,
    operation: 'transparent.encrypt',
    requestId: '0f2c1b0e-8a52-4f0b-9f57-6d3c2b1a0987',
    outcome: 'allowed',
    userId: 7,
    username: 'alice',
    sessionId: 1234,
    applicationKeyId: 3,
    address: '192.0.2.17',
    vault: '12',
    key: 'orders',
    keyVersion: 2,
    ms: 1.2346,
    ...change,
  }
}
