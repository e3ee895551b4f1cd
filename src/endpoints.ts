import type { AnyEndpoint } from './api/endpoint.ts'
import { addCertificate } from './certificate/routes/add-certificate.ts'
import { readOwnCertificate, readUserCertificate } from './certificate/routes/read-certificate.ts'
import { readSmartcardUser } from './certificate/routes/read-smartcard-user.ts'
import { removeCertificate } from './certificate/routes/remove-certificate.ts'
import { generatePassword } from './generator/routes/generate-password.ts'
import { readDocs } from './api/routes/read-docs.ts'
import { readOpenApi } from './api/routes/read-openapi.ts'
import type { Hsm } from './hsm/hsm.ts'
import type { LoginType } from './login/credentials.ts'
import { changePassphrase } from './login/routes/change-passphrase.ts'
import { logIn } from './login/routes/log-in.ts'
import { loginTypes } from './login/routes/login-types.ts'
import { resetPassphrase } from './login/routes/reset-passphrase.ts'
import { detectType } from './mime/routes/detect-mime-type.ts'
import { createObject } from './object/routes/create-object.ts'
import { deleteObject } from './object/routes/delete-object.ts'
import { editObject } from './object/routes/edit-object.ts'
import { findObjects, findObjectsByPath } from './object/routes/find-objects.ts'
import { readObject } from './object/routes/read-object.ts'
import { setAlarm } from './object/routes/set-alarm.ts'
import { vaultContents } from './object/routes/vault-contents.ts'
import { enrolDevice } from './otp/routes/enrol-device.ts'
import { listDevices } from './otp/routes/list-devices.ts'
import { removeDevice } from './otp/routes/remove-device.ts'
import { resyncDevice } from './otp/routes/resync-device.ts'
import { listPolicies } from './policy/routes/list-policies.ts'
import { collectFile } from './recognition/routes/collect-file.ts'
import { check } from './session/routes/check.ts'
import { endSession } from './session/routes/end-session.ts'
import { endSessions } from './session/routes/end-sessions.ts'
import { listSessions } from './session/routes/list-sessions.ts'
import { logout } from './session/routes/logout.ts'
import { readRelease } from './release/release.ts'
import { readVersion } from './release/routes/read-version.ts'
import type { Services } from './services.ts'
import { listTemplates } from './template/routes/list-templates.ts'
import { readTemplate } from './template/routes/read-template.ts'
import { backUpKey } from './transparent/routes/back-up-key.ts'
import { createKey, type KeyDefaults } from './transparent/routes/create-key.ts'
import { decrypt } from './transparent/routes/decrypt.ts'
import { deleteKey } from './transparent/routes/delete-key.ts'
import { encrypt } from './transparent/routes/encrypt.ts'
import { exportKey } from './transparent/routes/export-key.ts'
import { importKey } from './transparent/routes/import-key.ts'
import { listKeyTypes } from './transparent/routes/list-key-types.ts'
import { listKeys } from './transparent/routes/list-keys.ts'
import { makeDataKey } from './transparent/routes/make-data-key.ts'
import { makeHash } from './transparent/routes/make-hash.ts'
import { makeHmac } from './transparent/routes/make-hmac.ts'
import { makeRandom } from './transparent/routes/make-random.ts'
import { readKey } from './transparent/routes/read-key.ts'
import { readWrappingKey } from './transparent/routes/read-wrapping-key.ts'
import { restoreKey } from './transparent/routes/restore-key.ts'
import { rewrap } from './transparent/routes/rewrap.ts'
import { rotateKey } from './transparent/routes/rotate-key.ts'
import { setKeyVersion } from './transparent/routes/set-key-version.ts'
import { sign } from './transparent/routes/sign.ts'
import { takeKeyBack } from './transparent/routes/take-key-back.ts'
import { trimKey } from './transparent/routes/trim-key.ts'
import { updateKey } from './transparent/routes/update-key.ts'
import { verify } from './transparent/routes/verify.ts'
import { createUser } from './user/routes/create-user.ts'
import { disableUser } from './user/routes/disable-user.ts'
import { editUser } from './user/routes/edit-user.ts'
import { listStatusValues } from './user/routes/list-status-values.ts'
import { listUsers, readUser } from './user/routes/list-users.ts'
import { addMember } from './vault/routes/add-member.ts'
import { changeMember } from './vault/routes/change-member.ts'
import { createVault } from './vault/routes/create-vault.ts'
import { deleteVault } from './vault/routes/delete-vault.ts'
import { editVault } from './vault/routes/edit-vault.ts'
import { listMembers } from './vault/routes/list-members.ts'
import { listVaults } from './vault/routes/list-vaults.ts'
import { readVault } from './vault/routes/read-vault.ts'
import { removeMember } from './vault/routes/remove-member.ts'
import { setKeyRules } from './vault/routes/set-key-rules.ts'

export interface EndpointDependencies extends Services {
  readonly hsm: Pick<Hsm, 'random' | 'offers'>
  readonly loginTypes: readonly LoginType[]
  readonly keyDefaults: KeyDefaults
  readonly maxFileBytes: number
}

/** The table of contents of the interface: every call there is. */
export function allEndpoints(on: EndpointDependencies): readonly AnyEndpoint[] {
  const all: readonly AnyEndpoint[] = [
    ...peopleEndpoints(on),
    ...transparentEndpoints(on),
    readOpenApi(() => all),
    readDocs(() => all),
  ]
  return all
}

function peopleEndpoints(on: EndpointDependencies): readonly AnyEndpoint[] {
  return [
    logIn(on.login, on.sessions, on.readCard),
    logout(on.sessions),
    check('POST'),
    check('GET'),
    loginTypes(on.loginTypes),

    listSessions(on.sessions),
    endSession(on.sessions),
    endSessions(on.sessions),
    changePassphrase(on.passphraseChanges, on.readCard),
    resetPassphrase(on.passphraseChanges),

    listDevices(on.devices),
    enrolDevice(on.devices, on.enrolments),
    removeDevice(on.devices),
    resyncDevice(on.devices, on.resync),

    listUsers(on.users),
    readUser(on.users),
    createUser(on.users),
    editUser(on.users, 'PUT'),
    editUser(on.users, 'POST'),
    disableUser(on.users),

    ...smartcardEndpoints(on),

    createVault(on.vaults),
    listVaults(on.vaults),
    readVault(on.vaults, vaultContents(on.objectReading, on.templates)),
    editVault(on.vaults),
    deleteVault(on.vaults),
    listMembers(on.memberships),
    addMember(on.memberships),
    changeMember(on.memberships),
    removeMember(on.memberships),
    listPolicies(),
    generatePassword(on.generator),
    listStatusValues(),
    readVersion(readRelease()),
    detectType(on.maxFileBytes),

    listTemplates(on.templates),
    readTemplate(on.templates),
    collectFile(on.templates),

    createObject(on.objects, on.objectReading),
    readObject(on.objectReading, on.templates),
    editObject(on.objects),
    setAlarm(on.objects),
    deleteObject(on.objects),
    findObjects({ ...on, reading: on.objectReading }),
    findObjectsByPath({ ...on, reading: on.objectReading }),
  ]
}

function transparentEndpoints(on: EndpointDependencies): readonly AnyEndpoint[] {
  return [
    listKeyTypes(on.hsm),
    listKeys(on.keyring, 'LIST'),
    listKeys(on.keyring, 'GET'),
    createKey(on.keyring, on.keyDefaults),
    readKey(on.keyring),
    updateKey(on.keyring),
    deleteKey(on.keyDeletion),
    takeKeyBack(on.keyDeletion),
    rotateKey(on.keyring),
    trimKey(on.keyring),
    setKeyVersion(on.keyring),
    setKeyRules(on.vaults),

    encrypt(on.ciphers, on.keyDefaults),
    decrypt(on.ciphers),
    rewrap(on.ciphers),
    makeDataKey(on.dataKeys),
    sign(on.signatures, on.vaults),
    verify(on.signatures),
    makeHmac(on.signatures),
    makeRandom(on.hsm),
    makeHash(),

    backUpKey(on.transfers),
    restoreKey(on.transfers),
    exportKey(on.transfers, false),
    exportKey(on.transfers, true),
    importKey(on.transfers, on.keyDefaults),
    readWrappingKey(on.transfers),
  ]
}

function smartcardEndpoints({ certificates, loginTypes }: EndpointDependencies): readonly AnyEndpoint[] {
  return [
    readSmartcardUser(certificates, loginTypes.includes('smartcard')),
    readOwnCertificate(certificates),
    readUserCertificate(certificates),
    addCertificate(certificates),
    removeCertificate(certificates),
  ]
}
