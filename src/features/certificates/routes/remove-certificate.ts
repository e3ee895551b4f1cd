import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Certificates } from '../user-certificates.ts'
import { userIdOf, userParams } from '../../../http/contract/shared-fields.ts'

/** `DELETE /usercert/:userid` (spec: Remove user certificate). */
export const removeCertificate = (certificates: Certificates) =>
  endpoint({
    operation: 'usercert.remove',
    handler: 'UserCertHandler',
    method: 'DELETE',
    path: '/usercert/:userid',
    summary: 'Remove the certificate of a user',
    details: 'The user can no longer log in by smartcard.',
    access: { kind: 'session', capability: 'admin' },
    faults: ['user.not_found', 'certificate.none'],
    params: userParams,
    async run({ params, commit }) {
      const userId = userIdOf(params.userid)
      await certificates.remove(userId, commit)
      return {}
    },
  })
