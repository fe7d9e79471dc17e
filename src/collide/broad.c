#include "collide/collide.h"

#include <stdlib.h>
#include <string.h>
