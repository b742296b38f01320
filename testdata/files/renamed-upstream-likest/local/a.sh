set -eu
cd /srv
git pull
make
