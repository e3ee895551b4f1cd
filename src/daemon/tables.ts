import type { EntitySchema, ObjectLiteral } from 'typeorm'
import { AuditHeadTable } from '../audit/records.ts'
import { UserCertificateTable } from '../features/certificates/records.ts'
import { ApplicationKeyTable } from '../features/auth/application-key-records.ts'
import { LoginAttemptsTable, LoginNetworkTable } from '../features/auth/login-attempt-records.ts'
import { EarlierSecretTable, EarlierVersionTable } from '../features/objects/earlier-version-records.ts'
import { FavouriteTable } from '../features/objects/favourite-records.ts'
import { ObjectTagsTable } from '../features/objects/tag-records.ts'
import { FileChunkTable, FileUploadTable } from '../features/objects/file-records.ts'
import { SecretFieldTable, VaultObjectTable } from '../features/objects/records.ts'
import { LinkTable } from '../features/links/records.ts'
import { FloorBatchTable } from './floor-courier.ts'
import { OtpDeviceTable } from '../features/otp/records.ts'
import { ServiceUseTable } from '../features/auth/service-use-records.ts'
import { UsedAssertionTable } from '../features/auth/used-assertion-records.ts'
import { PasskeyTable } from '../features/passkeys/records.ts'
import { SessionTable, SessionTokenTable } from '../features/auth/session-records.ts'
import { SiteTemplateTable } from '../features/templates/records.ts'
import { AcceptedBackupTable } from '../features/transparent/backup-origin-records.ts'
import { ImportJobTable } from '../features/transparent/import-job-records.ts'
import { KeyVersionTable, TransparentKeyTable } from '../features/transparent/records.ts'
import { UserTable } from '../features/users/records.ts'
import { RecoveryTable } from '../features/users/recovery-records.ts'
import { ValidatedOtpTable, ValidationClientTable } from '../features/otp-validation/records.ts'
import { GrantUseTable } from '../features/vaults/grant-use-records.ts'
import { MembershipTable, RemovedMemberTable } from '../features/vaults/membership-records.ts'
import { PendingDestructionTable, TombstoneTable } from '../features/destruction/records.ts'
import { VaultTable } from '../features/vaults/records.ts'

/**
 * The tables of all features, each after those that it refers to. A test compares them with the result of the
 * migrations.
 */
export const tables: readonly EntitySchema<ObjectLiteral>[] = [
  UserTable,
  RecoveryTable,
  ApplicationKeyTable,
  LoginAttemptsTable,
  LoginNetworkTable,
  OtpDeviceTable,
  UserCertificateTable,
  PasskeyTable,
  SessionTable,
  SessionTokenTable,
  ServiceUseTable,
  UsedAssertionTable,
  LinkTable,
  VaultTable,
  PendingDestructionTable,
  TombstoneTable,
  MembershipTable,
  RemovedMemberTable,
  GrantUseTable,
  TransparentKeyTable,
  KeyVersionTable,
  ImportJobTable,
  AcceptedBackupTable,
  ValidationClientTable,
  ValidatedOtpTable,
  VaultObjectTable,
  SecretFieldTable,
  EarlierVersionTable,
  EarlierSecretTable,
  FavouriteTable,
  ObjectTagsTable,
  FileUploadTable,
  FileChunkTable,
  SiteTemplateTable,
  AuditHeadTable,
  FloorBatchTable,
]
