import type { AnyEndpoint } from '../http/contract/endpoint.ts'
import { listRecords } from '../features/audit/routes/list-records.ts'
import { addCertificate } from '../features/certificates/routes/add-certificate.ts'
import { readOwnCertificate, readUserCertificate } from '../features/certificates/routes/read-certificate.ts'
import { readSmartcardUser } from '../features/certificates/routes/read-smartcard-user.ts'
import { removeCertificate } from '../features/certificates/routes/remove-certificate.ts'
import { generatePassword } from '../features/passwords/routes/generate-password.ts'
import { createInterfacePages } from '../http/routes/interface-pages.ts'
import { readDocs } from '../http/routes/read-docs.ts'
import { readOpenApi } from '../http/routes/read-openapi.ts'
import type { Hsm } from '../hsm/hsm.ts'
import type { LoginType } from '../features/auth/credentials.ts'
import { changePassphrase } from '../features/auth/routes/change-passphrase.ts'
import { logIn } from '../features/auth/routes/log-in.ts'
import { loginTypes } from '../features/auth/routes/login-types.ts'
import { resetPassphrase } from '../features/auth/routes/reset-passphrase.ts'
import { detectType } from '../features/files/routes/detect-mime-type.ts'
import { copyObject } from '../features/objects/routes/copy-object.ts'
import { createObject } from '../features/objects/routes/create-object.ts'
import { deleteObject } from '../features/objects/routes/delete-object.ts'
import { editObject } from '../features/objects/routes/edit-object.ts'
import { findObjects, findObjectsByPath } from '../features/objects/routes/find-objects.ts'
import { moveObject } from '../features/objects/routes/move-object.ts'
import { readEarlierVersion } from '../features/objects/routes/read-earlier-version.ts'
import { readObject } from '../features/objects/routes/read-object.ts'
import { clearFavourite } from '../features/objects/routes/clear-favourite.ts'
import { clearTags } from '../features/objects/routes/clear-tags.ts'
import { listTags } from '../features/objects/routes/list-tags.ts'
import { setTags } from '../features/objects/routes/set-tags.ts'
import { listFavourites } from '../features/objects/routes/list-favourites.ts'
import { listHistory } from '../features/objects/routes/list-history.ts'
import { listTrash } from '../features/objects/routes/list-trash.ts'
import { setFavourite } from '../features/objects/routes/set-favourite.ts'
import { undeleteObject } from '../features/objects/routes/undelete-object.ts'
import { setAlarm } from '../features/objects/routes/set-alarm.ts'
import { vaultContents } from '../features/objects/routes/object-record.ts'
import { enrolDevice } from '../features/otp/routes/enrol-device.ts'
import { activateOwnDevice } from '../features/me/routes/activate-own-device.ts'
import { adoptOwnToken } from '../features/me/routes/adopt-own-token.ts'
import { beginOwnDevice } from '../features/me/routes/begin-own-device.ts'
import { removeOwnDevice } from '../features/me/routes/remove-own-device.ts'
import { changeOwnEmail } from '../features/me/routes/change-own-email.ts'
import { endOtherSessions } from '../features/me/routes/end-other-sessions.ts'
import { readOwnAccount } from '../features/me/routes/read-own-account.ts'
import { issueChallenge } from '../features/auth/routes/issue-challenge.ts'
import { issueOwnChallenge } from '../features/me/routes/issue-own-challenge.ts'
import { registerPasskey } from '../features/me/routes/register-passkey.ts'
import { removeOwnPasskey } from '../features/me/routes/remove-own-passkey.ts'
import { renamePasskey } from '../features/me/routes/rename-passkey.ts'
import { listPasskeys } from '../features/passkeys/routes/list-passkeys.ts'
import { removePasskey } from '../features/passkeys/routes/remove-passkey.ts'
import { listDevices } from '../features/otp/routes/list-devices.ts'
import { removeDevice } from '../features/otp/routes/remove-device.ts'
import { resyncDevice } from '../features/otp/routes/resync-device.ts'
import { listPolicies } from '../features/passwords/routes/list-policies.ts'
import { collectFile } from '../features/files/routes/collect-file.ts'
import { check } from '../features/auth/routes/check.ts'
import { endSession } from '../features/auth/routes/end-session.ts'
import { endSessions } from '../features/auth/routes/end-sessions.ts'
import { listSessions } from '../features/auth/routes/list-sessions.ts'
import { logout } from '../features/auth/routes/logout.ts'
import type { AskState } from '../features/utils/appliance-state.ts'
import { readState } from '../features/utils/routes/read-state.ts'
import { readVersion } from '../features/utils/routes/read-version.ts'
import { readRelease, releaseName } from '../release.ts'
import type { Services } from './services.ts'
import { changeService, removeService } from '../features/services/routes/change-service.ts'
import { createService } from '../features/services/routes/create-service.ts'
import { listServices, readService } from '../features/services/routes/list-services.ts'
import { addCredential, removeCredential } from '../features/services/routes/service-credentials.ts'
import { createLink } from '../features/links/routes/create-link.ts'
import { listLinks } from '../features/links/routes/list-links.ts'
import { openLink } from '../features/links/routes/open-link.ts'
import { revokeLink } from '../features/links/routes/revoke-link.ts'
import { listTemplates } from '../features/templates/routes/list-templates.ts'
import { readTemplate } from '../features/templates/routes/read-template.ts'
import { backUpKey } from '../features/transparent/routes/back-up-key.ts'
import { createImportJob } from '../features/transparent/routes/create-import-job.ts'
import { createKey, type KeyDefaults } from '../features/transparent/routes/create-key.ts'
import { decrypt } from '../features/transparent/routes/decrypt.ts'
import { deleteKey } from '../features/transparent/routes/delete-key.ts'
import { encrypt } from '../features/transparent/routes/encrypt.ts'
import { exportKey } from '../features/transparent/routes/export-key.ts'
import { importKey } from '../features/transparent/routes/import-key.ts'
import { listKeyTypes } from '../features/transparent/routes/list-key-types.ts'
import { listKeys } from '../features/transparent/routes/list-keys.ts'
import { makeDataKey } from '../features/transparent/routes/make-data-key.ts'
import { makeHash } from '../features/transparent/routes/make-hash.ts'
import { makeHmac } from '../features/transparent/routes/make-hmac.ts'
import { makeRandom } from '../features/transparent/routes/make-random.ts'
import { readKey } from '../features/transparent/routes/read-key.ts'
import { restoreKey } from '../features/transparent/routes/restore-key.ts'
import { rewrap } from '../features/transparent/routes/rewrap.ts'
import { rotateKey } from '../features/transparent/routes/rotate-key.ts'
import { setKeyVersion } from '../features/transparent/routes/set-key-version.ts'
import { sign } from '../features/transparent/routes/sign.ts'
import { takeKeyBack } from '../features/transparent/routes/take-key-back.ts'
import { trimKey } from '../features/transparent/routes/trim-key.ts'
import { updateKey } from '../features/transparent/routes/update-key.ts'
import { verify } from '../features/transparent/routes/verify.ts'
import { createUser } from '../features/users/routes/create-user.ts'
import { disableUser } from '../features/users/routes/disable-user.ts'
import { editUser } from '../features/users/routes/edit-user.ts'
import { listStatusValues } from '../features/users/routes/list-status-values.ts'
import { listUsers, readUser } from '../features/users/routes/list-users.ts'
import { addMember } from '../features/vaults/routes/add-member.ts'
import { changeMember } from '../features/vaults/routes/change-member.ts'
import { confirmMember } from '../features/vaults/routes/confirm-member.ts'
import { createVault } from '../features/vaults/routes/create-vault.ts'
import { deleteVault } from '../features/vaults/routes/delete-vault.ts'
import { editVault } from '../features/vaults/routes/edit-vault.ts'
import { listMembers } from '../features/vaults/routes/list-members.ts'
import { listVaults } from '../features/vaults/routes/list-vaults.ts'
import { readVault } from '../features/vaults/routes/read-vault.ts'
import { removeMember } from '../features/vaults/routes/remove-member.ts'
import { setKeyRules } from '../features/vaults/routes/set-key-rules.ts'

export interface EndpointDependencies extends Services {
  readonly hsm: Pick<Hsm, 'random' | 'kindSupport'>
  readonly loginTypes: readonly LoginType[]
  readonly keyDefaults: KeyDefaults
  readonly maxFileBytes: number
  readonly maxBodyBytes: number
  readonly askState: AskState
}

/** All endpoints of the interface. */
export function allEndpoints(on: EndpointDependencies): readonly AnyEndpoint[] {
  const pages = createInterfacePages(() => all)
  const all: readonly AnyEndpoint[] = [
    ...peopleEndpoints(on),
    ...transparentEndpoints(on),
    listRecords(on.visibleRecords, () => all),
    readOpenApi(pages),
    readDocs(pages),
  ]
  return all
}

function peopleEndpoints(on: EndpointDependencies): readonly AnyEndpoint[] {
  return [
    logIn(on, on.sessions, on.readCard),
    logout(on.sessions),
    check('POST'),
    check('GET'),
    loginTypes(on.loginTypes),

    listSessions(on.sessions),
    endSession(on.sessions),
    endSessions(on.sessions),
    changePassphrase(on.passphraseChanges, on.readCard),
    resetPassphrase(on.passphraseChanges, on.recoveries),

    listDevices(on.devices),
    enrolDevice(on.devices, on.enrolments, on.recoveries),
    removeDevice(on.devices),
    resyncDevice(on.devices, on.resync),

    listUsers(on.users),
    readUser(on.users),
    createUser(on.users),
    editUser(on.users, on.recoveries, 'PUT'),
    editUser(on.users, on.recoveries, 'POST'),
    disableUser(on.users),

    ...ownEndpoints(on),
    ...smartcardEndpoints(on),
    ...passkeyEndpoints(on),
    ...serviceEndpoints(on),

    createLink(on.links),
    listLinks(on.links),
    openLink(on.links),
    revokeLink(on.links),

    createVault(on.vaults),
    listVaults(on.vaults, on.recoveries),
    readVault(on.vaults, vaultContents(on.objectReading, on.templates)),
    editVault(on.vaults),
    deleteVault(on.vaults),
    listMembers(on.memberships),
    addMember(on.memberships),
    changeMember(on.memberships),
    removeMember(on.memberships),
    confirmMember(on.memberships),
    ...utilsEndpoints(on),

    listTemplates(on.templates),
    readTemplate(on.templates),
    collectFile(on.templates),

    ...objectEndpoints(on),
  ]
}

const ownEndpoints = (on: EndpointDependencies): readonly AnyEndpoint[] => [
  readOwnAccount(on.ownAccounts, on.recoveries, on.sessions, on.links),
  changeOwnEmail(on.ownAccounts),
  endOtherSessions(on.sessions),
  beginOwnDevice(on.ownDevices),
  adoptOwnToken(on.ownDevices),
  activateOwnDevice(on.ownDevices),
  removeOwnDevice(on.ownDevices),
]

const objectEndpoints = (on: EndpointDependencies): readonly AnyEndpoint[] => [
  createObject(on.objects, on.objectReading, on.templates),
  readObject(on.objectReading, on.templates),
  editObject(on.objects, on.templates),
  listHistory(on.objectReading, on.templates),
  readEarlierVersion(on.objectReading, on.templates),
  setAlarm(on.objects),
  deleteObject(on.objects, on.trash),
  undeleteObject(on.trash),
  listTrash(on.trash, on.templates),
  setFavourite(on.favourites),
  listFavourites(on.favourites, on.templates),
  clearFavourite(on.favourites),
  setTags(on.tags),
  listTags(on.tags, on.templates),
  clearTags(on.tags),
  moveObject(on.relocation, on.objectReading),
  copyObject(on.relocation, on.objectReading),
  findObjects({ ...on, reading: on.objectReading }),
  findObjectsByPath({ ...on, reading: on.objectReading }),
]

const utilsEndpoints = (on: EndpointDependencies): readonly AnyEndpoint[] => [
  listPolicies(),
  generatePassword(on.generator),
  listStatusValues(),
  readVersion(releaseName(readRelease())),
  readState(releaseName(readRelease()), on.askState),
  detectType(on.maxFileBytes),
]

const passkeyEndpoints = (on: EndpointDependencies): readonly AnyEndpoint[] => [
  issueChallenge(on.challenges, on.passkeyRules),
  issueOwnChallenge(on, on.passkeyRules, on.attestation),
  registerPasskey(on, on.passkeyRules, on.attestation),
  renamePasskey(on.passkeys),
  removeOwnPasskey(on),
  listPasskeys(on.passkeys),
  removePasskey(on.passkeys),
]

const serviceEndpoints = ({ serviceAccounts: accounts }: EndpointDependencies): readonly AnyEndpoint[] => [
  listServices(accounts),
  readService(accounts),
  createService(accounts),
  changeService(accounts),
  removeService(accounts),
  addCredential(accounts),
  removeCredential(accounts),
]

function transparentEndpoints(on: EndpointDependencies): readonly AnyEndpoint[] {
  const details = { vaults: on.vaults, deletion: on.keyDeletion }
  return [
    listKeyTypes(on.hsm),
    listKeys(on.keyring, details, 'LIST'),
    listKeys(on.keyring, details, 'GET'),
    createKey(on.keyring, on.keyDefaults),
    readKey(on.keyring, details),
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
    makeRandom(on.hsm, on.vaults),
    makeHash(),

    backUpKey(on.keyBackups, on.maxBodyBytes),
    restoreKey(on.keyBackups),
    exportKey(on.exportKey, false),
    exportKey(on.exportKey, true),
    createImportJob(on.importJobs, on.keyDefaults),
    importKey(on.importJobs),
  ]
}

function smartcardEndpoints({ certificates, loginTypes, recoveries }: EndpointDependencies): readonly AnyEndpoint[] {
  return [
    readSmartcardUser(certificates, loginTypes.includes('smartcard')),
    readOwnCertificate(certificates),
    readUserCertificate(certificates),
    addCertificate(certificates, recoveries),
    removeCertificate(certificates),
  ]
}
