import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { maxUploadBytes, readUpload } from '../uploaded-certificate.ts'
import { labelOf, type Certificates } from '../user-certificates.ts'
import { onHoldNotice, type Recoveries } from '../../users/recovery.ts'
import { userIdOf, userParams } from '../../../http/contract/shared-fields.ts'

/** `POST /usercert/:userid` (spec: Add user certificate). */
export const addCertificate = (certificates: Certificates, recoveries: Recoveries) =>
  endpoint({
    operation: 'usercert.add',
    handler: 'UserCertHandler',
    method: 'POST',
    path: '/usercert/:userid',
    summary: 'Register the certificate of a user',
    details:
      'The user can log in by smartcard from now on. A user has one certificate at most: another one replaces it. The file is one X.509 certificate in PEM, of a CA that the appliance trusts.',
    access: { kind: 'session', capability: 'admin' },
    faults: ['user.not_found', 'certificate.invalid', 'certificate.taken'],
    params: userParams,
    upload: 'required',
    quota: 'files',
    async run({ params, file, caller, note, commit }) {
      if (file === undefined) throw new Fault('request.not_form')
      const userId = userIdOf(params.userid)
      const certificate = readUpload(await file.bytes(maxUploadBytes))
      note({ target: `user ${userId}: ${labelOf(certificate.fingerprint)}` })
      await certificates.register(userId, certificate, caller.userId, commit)
      return { general: await onHoldNotice(recoveries, userId) }
    },
  })
