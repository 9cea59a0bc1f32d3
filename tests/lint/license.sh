#!/bin/sh
# SPDX-License-Identifier: MIT
# A source and a script without a license are found.
set -eu
. "${0%/*}/planted"

echo '/* SPDX-License-Identifier: MIT */' >src/base/x.c
printf '#!/bin/sh\n# SPDX-License-Identifier: MIT\n' >good
clean license
echo 'int x;' >src/base/x.c
caught license 'src/base/x.c:1: no SPDX'
echo '/* SPDX-License-Identifier: MIT */' >src/base/x.c
printf '#!/bin/sh\n\n# SPDX-License-Identifier: MIT\n' >good
caught license 'good:1: no SPDX'
printf '#!/bin/sh\n# SPDX-License-Identifier: MIT\n' >good
echo 'int x;' >src/base/x.hpp
caught license 'src/base/x.hpp:1: no SPDX'
