/* How many kinds of CPU get another level than they should. */
#ifndef BRAWN_STRING_TEST_DETECT_H
#define BRAWN_STRING_TEST_DETECT_H

unsigned wrong_levels(void);

#endif
