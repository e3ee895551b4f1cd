import { endpoint } from '../../../http/contract/endpoint.ts'

/**
 * `POST /auth/check`, and GET, which one published client sends: confirms that the token is valid, and refreshes its
 * time-out.
 */
export const check = (method: 'GET' | 'POST') =>
  endpoint({
    operation: 'auth.check',
    handler: 'AuthHandler',
    method,
    path: '/auth/check',
    summary: 'Check the session token and refresh its time-out',
    details:
      'Send it more often than the time-out of the login says to keep a session that does nothing else. The token may be replaced, as by every call.',
    access: { kind: 'session' },
    // Authentication has already done all of it.
    run: () => Promise.resolve({}),
  })
