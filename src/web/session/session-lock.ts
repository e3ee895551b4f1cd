/**
 * Logins and logouts of all tabs one after the other: the answer of each sets the cookie, and the late one of a logout would
 * end the session that was begun meanwhile.
 */
export const withSessionLock = <Result>(task: () => Promise<Result>): Promise<Result> =>
  navigator.locks.request('strongroom.session', task)
