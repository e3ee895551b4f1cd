/*
 * Makes AES-256 key-encryption keys that can only wrap and unwrap. Their CKA_UNWRAP_TEMPLATE (PKCS#11 v2.40 §4.8) makes
 * every key that they unwrap sensitive and not extractable. The bindings for Node.js cannot make nested templates.
 *
 *   ceremony make    KIND MODULE TOKEN-LABEL TOKEN-SERIAL KEY-LABEL KEY-ID-HEX PADDED-WRAP < PIN
 *   ceremony receive KIND MODULE TOKEN-LABEL TOKEN-SERIAL KEY-LABEL KEY-ID-HEX PADDED-WRAP CEREMONY-ID-HEX BLOB-HEX < PIN
 *
 * KIND: strict, a key that never leaves the token; backup, a key that can leave wrapped by a CKA_TRUSTED key. Only the
 * security officer can make a trusted key.
 * PADDED-WRAP: the token's mechanism number for RFC 5649, or 0 if it has none.
 * CEREMONY-ID-HEX: the CKA_ID of the RSA private key that unwraps BLOB (RSA-OAEP, SHA-1).
 * Exit status: 0 made; 1 failed; 2 wrong use; 3 the token refuses such a key; 4 made, but the token refuses to limit the
 * key to its mechanisms and to forbid copies.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pkcs11.h>

enum { MADE = 0, FAILED = 1, WRONG_USE = 2, REFUSED = 3, MADE_UNLIMITED = 4 };

enum { AES_KEY_WRAP = 0x2109 }; /* RFC 3394 */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static CK_FUNCTION_LIST *token;

static int fail(const char *what, CK_RV rv) {
  fprintf(stderr, "%s: CKR 0x%lx\n", what, rv);
  return FAILED;
}

/* Compares a field of CK_TOKEN_INFO, which is padded with spaces and has no NUL at its end. */
static int field_is(const CK_UTF8CHAR *field, size_t size, const char *text) {
  size_t length = strlen(text);
  if (length > size || memcmp(field, text, length) != 0) return 0;
  for (size_t i = length; i < size; i++)
    if (field[i] != ' ') return 0;
  return 1;
}

static int find_slot(const char *label, const char *serial, CK_SLOT_ID *found) {
  CK_ULONG count = 0;
  if (token->C_GetSlotList(CK_TRUE, NULL, &count) != CKR_OK || count == 0) return 0;
  CK_SLOT_ID *slots = calloc(count, sizeof *slots);
  if (slots == NULL || token->C_GetSlotList(CK_TRUE, slots, &count) != CKR_OK) return 0;
  int matches = 0;
  for (CK_ULONG i = 0; i < count; i++) {
    CK_TOKEN_INFO info;
    if (token->C_GetTokenInfo(slots[i], &info) != CKR_OK) continue;
    if (!(info.flags & CKF_TOKEN_INITIALIZED)) continue;
    if (!field_is(info.label, sizeof info.label, label)) continue;
    if (!field_is(info.serialNumber, sizeof info.serialNumber, serial)) continue;
    *found = slots[i];
    matches++;
  }
  free(slots);
  return matches == 1;
}

static size_t read_pin(CK_UTF8CHAR *pin, size_t size) {
  size_t length = fread(pin, 1, size, stdin);
  while (length > 0 && (pin[length - 1] == '\n' || pin[length - 1] == '\r')) length--;
  return length;
}

static size_t read_hex(const char *hex, CK_BYTE *bytes, size_t size) {
  size_t length = strlen(hex) / 2;
  if (length == 0 || length > size || strlen(hex) % 2 != 0) return 0;
  for (size_t i = 0; i < length; i++) {
    unsigned int byte;
    if (sscanf(hex + 2 * i, "%2x", &byte) != 1) return 0;
    bytes[i] = (CK_BYTE)byte;
  }
  return length;
}

static int is_refusal(CK_RV rv) {
  return rv == CKR_ATTRIBUTE_TYPE_INVALID || rv == CKR_ATTRIBUTE_VALUE_INVALID || rv == CKR_TEMPLATE_INCONSISTENT ||
         rv == CKR_ATTRIBUTE_READ_ONLY;
}

/* The parameters of one key-encryption key. */
struct request {
  int is_backup;
  char *label;
  CK_BYTE id[64];
  size_t id_length;
  CK_ULONG padded_wrap;
  CK_OBJECT_HANDLE ceremony; /* the RSA private key that unwraps `blob` */
  CK_BYTE blob[1024];
  size_t blob_length;
};

static CK_RV make_kek(CK_SESSION_HANDLE session, struct request *request, int limited) {
  CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
  CK_BBOOL leaves = request->is_backup ? CK_TRUE : CK_FALSE;
  CK_OBJECT_CLASS class = CKO_SECRET_KEY;
  CK_KEY_TYPE type = CKK_AES;
  CK_ULONG length = 32;
  CK_MECHANISM_TYPE wraps[] = {AES_KEY_WRAP, request->padded_wrap};
  CK_ATTRIBUTE unwrapped[] = {
      {CKA_SENSITIVE, &yes, sizeof yes},
      {CKA_EXTRACTABLE, &no, sizeof no},
  };
  CK_ATTRIBUTE kek[24] = {
      {CKA_CLASS, &class, sizeof class},
      {CKA_KEY_TYPE, &type, sizeof type},
      {CKA_TOKEN, &yes, sizeof yes},
      {CKA_PRIVATE, &yes, sizeof yes},
      {CKA_SENSITIVE, &yes, sizeof yes},
      {CKA_EXTRACTABLE, &leaves, sizeof leaves},
      {CKA_ENCRYPT, &no, sizeof no},
      {CKA_DECRYPT, &no, sizeof no},
      {CKA_SIGN, &no, sizeof no},
      {CKA_VERIFY, &no, sizeof no},
      {CKA_WRAP, &yes, sizeof yes},
      {CKA_UNWRAP, &yes, sizeof yes},
      {CKA_DERIVE, &no, sizeof no},
      {CKA_LABEL, request->label, strlen(request->label)},
      {CKA_ID, request->id, request->id_length},
      {CKA_UNWRAP_TEMPLATE, unwrapped, sizeof unwrapped},
  };
  CK_ULONG count = 16;
  if (request->is_backup) kek[count++] = (CK_ATTRIBUTE){CKA_WRAP_WITH_TRUSTED, &yes, sizeof yes};
  if (limited) {
    kek[count++] = (CK_ATTRIBUTE){CKA_COPYABLE, &no, sizeof no};
    kek[count++] = (CK_ATTRIBUTE){CKA_ALLOWED_MECHANISMS, wraps,
                                  request->padded_wrap == 0 ? sizeof wraps[0] : sizeof wraps};
  }
  if (request->blob_length == 0) kek[count++] = (CK_ATTRIBUTE){CKA_VALUE_LEN, &length, sizeof length};
  /* Must be last: SoftHSM2 accepts no attribute after it when it unwraps a key. */
  kek[count++] = (CK_ATTRIBUTE){CKA_MODIFIABLE, &no, sizeof no};
  CK_OBJECT_HANDLE key;
  if (request->blob_length == 0) {
    CK_MECHANISM generate = {CKM_AES_KEY_GEN, NULL, 0};
    return token->C_GenerateKey(session, &generate, kek, count, &key);
  }
  CK_RSA_PKCS_OAEP_PARAMS parameters = {CKM_SHA_1, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, NULL, 0};
  CK_MECHANISM oaep = {CKM_RSA_PKCS_OAEP, &parameters, sizeof parameters};
  return token->C_UnwrapKey(session, &oaep, request->ceremony, request->blob, request->blob_length, kek, count, &key);
}

static int find_private_key(CK_SESSION_HANDLE session, CK_BYTE *id, size_t id_length, CK_OBJECT_HANDLE *found) {
  CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
  CK_ATTRIBUTE wanted[] = {{CKA_CLASS, &class, sizeof class}, {CKA_ID, id, id_length}};
  CK_ULONG count = 0;
  if (token->C_FindObjectsInit(session, wanted, COUNT(wanted)) != CKR_OK) return 0;
  CK_RV rv = token->C_FindObjects(session, found, 1, &count);
  token->C_FindObjectsFinal(session);
  return rv == CKR_OK && count == 1;
}

static int open_module(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return FAILED;
  }
  CK_C_GetFunctionList list = (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList");
  if (list == NULL || list(&token) != CKR_OK) {
    fprintf(stderr, "%s is no PKCS#11 module\n", path);
    return FAILED;
  }
  CK_RV rv = token->C_Initialize(NULL);
  return rv == CKR_OK ? MADE : fail("C_Initialize", rv);
}

static int log_in(char **argv, CK_SESSION_HANDLE *session) {
  CK_SLOT_ID slot;
  if (!find_slot(argv[4], argv[5], &slot)) {
    fprintf(stderr, "no single token with label %s and serial %s\n", argv[4], argv[5]);
    return FAILED;
  }
  CK_RV rv = token->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, session);
  if (rv != CKR_OK) return fail("C_OpenSession", rv);
  CK_UTF8CHAR pin[256];
  size_t pin_length = read_pin(pin, sizeof pin);
  rv = token->C_Login(*session, CKU_USER, pin, pin_length);
  explicit_bzero(pin, sizeof pin);
  return rv == CKR_OK ? MADE : fail("C_Login", rv);
}

static int hold_ceremony(char **argv, int receives) {
  struct request request = {.is_backup = strcmp(argv[2], "backup") == 0, .label = argv[6]};
  request.id_length = read_hex(argv[7], request.id, sizeof request.id);
  request.padded_wrap = strtoul(argv[8], NULL, 10);
  if (request.id_length == 0) return WRONG_USE;
  CK_SESSION_HANDLE session;
  int result = log_in(argv, &session);
  if (result != MADE) return result;
  if (receives) {
    CK_BYTE id[64];
    size_t id_length = read_hex(argv[9], id, sizeof id);
    request.blob_length = read_hex(argv[10], request.blob, sizeof request.blob);
    if (id_length == 0 || request.blob_length == 0) return WRONG_USE;
    if (!find_private_key(session, id, id_length, &request.ceremony)) return fail("C_FindObjects", CKR_KEY_HANDLE_INVALID);
  }
  CK_RV rv = make_kek(session, &request, 1);
  if (rv == CKR_OK) return MADE;
  if (is_refusal(rv)) rv = make_kek(session, &request, 0);
  if (rv == CKR_OK) return MADE_UNLIMITED;
  fail(receives ? "C_UnwrapKey" : "C_GenerateKey", rv);
  return is_refusal(rv) ? REFUSED : FAILED;
}

int main(int argc, char **argv) {
  int makes = argc == 9 && strcmp(argv[1], "make") == 0;
  int receives = argc == 11 && strcmp(argv[1], "receive") == 0;
  if ((!makes && !receives) || (strcmp(argv[2], "strict") != 0 && strcmp(argv[2], "backup") != 0)) {
    fprintf(stderr, "use: ceremony make|receive strict|backup MODULE TOKEN-LABEL TOKEN-SERIAL KEY-LABEL KEY-ID-HEX "
                    "PADDED-WRAP [CEREMONY-ID-HEX BLOB-HEX] < PIN\n");
    return WRONG_USE;
  }
  int result = open_module(argv[3]);
  if (result != MADE) return result;
  result = hold_ceremony(argv, receives);
  token->C_Finalize(NULL);
  return result;
}
