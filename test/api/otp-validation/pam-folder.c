/*
 * Preloaded into a PAM application: services are read from the folder that PAM_FOLDER names, with Linux-PAM's own
 * pam_start_confdir(3), so that a test needs nothing below /etc. The types stay opaque: they are only handed on.
 */
#include <stdlib.h>

int pam_start_confdir(const char *service, const char *user, const void *conversation, const char *folder, void **handle);

int pam_start(const char *service, const char *user, const void *conversation, void **handle) {
  return pam_start_confdir(service, user, conversation, getenv("PAM_FOLDER"), handle);
}
