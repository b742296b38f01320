set -e
cd /srv
make
make install
