import { Command } from 'commander'
import { addApplicationKeyCreate } from './apikey/create.ts'
import { addApplicationKeyList } from './apikey/list.ts'
import { addApplicationKeyRevoke } from './apikey/revoke.ts'
import { addApplicationKeyShapes } from './apikey/shapes.ts'
import { addAuditVerify } from './audit/verify.ts'
import { addBackupKeys } from './backup-keys/backup-keys.ts'
import { addDoctor } from './doctor.ts'
import { addInit } from './init.ts'
import { addOtpAssign } from './otp/assign.ts'
import { addOtpEnroll } from './otp/enroll.ts'
import { addOtpImport } from './otp/import.ts'
import { addOtpList } from './otp/list.ts'
import { addOtpRemove } from './otp/remove.ts'
import { addOtpResync } from './otp/resync.ts'
import { addSessionEnd } from './session/end.ts'
import { addSessionList } from './session/list.ts'
import { addTemplateAdd } from './template/add.ts'
import { addTemplateCheck } from './template/check.ts'
import { addTemplateList } from './template/list.ts'
import { addTemplateRemove } from './template/remove.ts'
import { addTokenStatus } from './token/status.ts'
import { addTransportKey } from './token/transport-key.ts'
import { addUserAdd } from './user/add.ts'
import { addUserCertificateAdd } from './usercert/add.ts'
import { addUserCertificateRemove } from './usercert/remove.ts'
import { addUserCertificateShow } from './usercert/show.ts'
import { addUserDisable } from './user/disable.ts'
import { addUserEdit } from './user/edit.ts'
import { addUserEnable } from './user/enable.ts'
import { addUserList } from './user/list.ts'
import { addUserPassphrase } from './user/passphrase.ts'
import { addValidatorClientAdd } from './validator-client/add.ts'
import { addValidatorClientList } from './validator-client/list.ts'
import { addValidatorClientRevoke } from './validator-client/revoke.ts'
import { addVaultAdopt } from './vault/adopt.ts'
import { addVaultList } from './vault/list.ts'
import { addVaultMembers } from './vault/members.ts'

const help = `
Exit codes:
  0  done; for doctor and audit verify: nothing is wrong
  1  a check found something, or the command was refused
  2  the command line or the configuration cannot be used
  3  the token cannot be used
  4  the database cannot be used
  5  the audit trail cannot be written

Examples:
  strongroom init
  strongroom user add alice --fullname 'Alice Example' --email alice@example.org
  strongroom otp enroll alice --totp
  strongroom doctor --json | jq '.findings[] | select(.state != "ok")'

Every command that changes something is recorded in the audit trail.`

/** The whole command line: one file per command beside this one. */
export function createProgram(): Command {
  const program = new Command('strongroom')
    .description('Sets up and looks after a Strongroom appliance.')
    .option('--config <file>', 'configuration file', '/etc/strongroom/strongroom.json')
    .option('--json', 'answer with one JSON document')
    .addHelpText('after', help)
    .showHelpAfterError('Try --help.')
    .exitOverride()
  addInit(program)
  const user = program.command('user').description('people who may log in')
  addUserAdd(user)
  addUserList(user)
  addUserEdit(user)
  addUserDisable(user)
  addUserPassphrase(user)
  addUserEnable(user)
  const session = program.command('session').description('who is logged in')
  addSessionList(session)
  addSessionEnd(session)
  const vault = program.command('vault').description('vaults: who shares them, never what is in them')
  addVaultList(vault)
  addVaultMembers(vault)
  addVaultAdopt(vault)
  const applicationKey = program.command('apikey').description('keys of applications, part of every login')
  addApplicationKeyCreate(applicationKey)
  addApplicationKeyList(applicationKey)
  addApplicationKeyShapes(applicationKey)
  addApplicationKeyRevoke(applicationKey)
  const otp = program.command('otp').description('second factors')
  addOtpEnroll(otp)
  addOtpImport(otp)
  addOtpAssign(otp)
  addOtpList(otp)
  addOtpRemove(otp)
  addOtpResync(otp)
  const usercert = program.command('usercert').description('smartcards')
  addUserCertificateAdd(usercert)
  addUserCertificateRemove(usercert)
  addUserCertificateShow(usercert)
  const validator = program.command('validator').description('programs that have one-time passwords checked')
  addValidatorClientAdd(validator)
  addValidatorClientList(validator)
  addValidatorClientRevoke(validator)
  const template = program.command('template').description('forms of objects')
  addTemplateList(template)
  addTemplateCheck(template)
  addTemplateAdd(template)
  addTemplateRemove(template)
  const token = program.command('token').description('the hardware security module')
  addTokenStatus(token)
  addTransportKey(token)
  addBackupKeys(program.command('backup-keys').description('keys that let another appliance restore backups'))
  addAuditVerify(program.command('audit').description('the audit trail'))
  addDoctor(program)
  return program
}
