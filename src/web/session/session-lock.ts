/**
 * Runs the logins and logouts of all tabs one after the other. Each answer sets the cookie, so that a late answer to a
 * logout would end a session that began meanwhile.
 */
export const withSessionLock = <Result>(task: () => Promise<Result>): Promise<Result> =>
  navigator.locks.request('strongroom.session', task)
